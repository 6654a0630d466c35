import { times } from '../../test/support/times.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createDatabase } from '../../test/support/database.js';
import { ApiError } from '../common/errors.js';
import type { Requester } from '../common/requester.js';
import { BatchLoader } from './batch-loader.js';
import { Reader } from './reader.js';
import type { ResultRow, Statement } from './statement.js';

const TIMEOUT_MS = 4000;
const SPLIT = { point: 2, aside: 3, list: 6 };

let database: Awaited<ReturnType<typeof createDatabase>>;
let holder: Client;
let reader: Reader;
beforeAll(async () => {
  database = await createDatabase('plain');
  holder = await connected();
  await holder.query('CREATE TABLE locked (a int); CREATE TABLE open (a int)');
});
afterAll(async () => {
  await holder.end();
  await database.drop();
});
beforeEach(() => {
  reader = new Reader(database.url, TIMEOUT_MS, SPLIT);
});
afterEach(async () => {
  await holder.query('ROLLBACK');
  await reader.close();
});

async function connected(): Promise<Client> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  return client;
}

const requester = (share: string, isGone = () => false): Requester => ({
  fairnessKey: share,
  isGone,
  hasBackpressure: () => false,
});
const sleepFor = (seconds: number): Statement => ({ text: `SELECT pg_sleep(${seconds})`, values: [] });
const readOf = (table: string): Statement => ({ text: `SELECT a FROM ${table}`, values: [], table });
const statusOf = (work: Promise<unknown>) =>
  work.then(
    () => 200,
    (error: unknown) => (error instanceof ApiError ? error.status : String(error)),
  );
/** Milliseconds until it is answered. */
async function timed(work: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work;
  return performance.now() - start;
}
/** Holds a table so that reads of it wait. */
const lock = () => holder.query('BEGIN; LOCK TABLE locked IN ACCESS EXCLUSIVE MODE');

describe('slow reads', () => {
  it('of one caller leave a connection to everybody else', async () => {
    const many = times(40, () => statusOf(reader.query('list', sleepFor(0.5), requester('many'))));
    for (const share of ['a', 'b']) await reader.query('list', readOf('open'), requester(share));
    // All but those of the first caller are answered, while most of its own wait.
    const { underWay, waiting } = reader.load().list;
    expect(underWay).toBe(4);
    expect(waiting).toBeGreaterThan(20);
    await reader.close();
    await Promise.all(many);
  });

  it('take turns by caller where all connections are taken', async () => {
    const done: string[] = [];
    const ask = (share: string) =>
      reader.query('list', sleepFor(0.1), requester(share)).then(
        () => done.push(share),
        () => undefined,
      );
    const many = times(6, (i) => times(12, () => ask(`many ${i}`))).flat();
    await ask('one');
    // Whoever came last has waited for about one of each, not for all 72.
    expect(done.length).toBeLessThan(24);
    await reader.close();
    await Promise.all(many);
  });

  it('wait no longer than a statement may run: then 503', async () => {
    await reader.close();
    reader = new Reader(database.url, 500, SPLIT);
    const results = await Promise.all(
      times(80, () => statusOf(reader.query('list', sleepFor(0.3), requester('many')))),
    );
    expect(new Set(results)).toEqual(new Set([200, 503]));
    expect(results.filter((status) => status === 503).length).toBeGreaterThan(50);
    expect(reader.load().list).toEqual({ underWay: 0, waiting: 0 });
  });

  it('are not run for those who are gone', async () => {
    let isGone = false;
    const gone = times(100, () =>
      statusOf(
        reader.query(
          'list',
          sleepFor(0.5),
          requester('gone', () => isGone),
        ),
      ),
    );
    await reader.query('list', readOf('open'), requester('other'));
    isGone = true;
    const results = await Promise.all(gone);
    // Four had begun.
    expect(results.filter((status) => status === 200)).toHaveLength(4);
    expect(results.filter((status) => status === 503)).toHaveLength(96);
  });

  it('of a locked table leave connections to those of others, whoever asks', async () => {
    await lock();
    const held = times(30, (i) => statusOf(reader.query('list', readOf('locked'), requester(`user ${i}`))));
    for (let i = 0; i < 5; i++) await reader.query('list', readOf('open'), requester(`user ${i}`));
    expect(reader.load().list).toEqual({ underWay: 4, waiting: 26 });
    await holder.query('ROLLBACK');
    expect(new Set(await Promise.all(held))).toEqual(new Set([200]));
  });
});

describe('short reads', () => {
  it('of a locked table keep no others waiting, neither those behind them nor later ones', async () => {
    const stuck: Promise<unknown>[] = [];
    const quick: Promise<unknown>[] = [];
    await reader.query('point', readOf('open'));
    await lock();
    for (let i = 0; i < 40; i++) {
      stuck.push(statusOf(reader.query('point', readOf('locked'))));
      quick.push(reader.query('point', readOf('open')));
    }
    expect(await timed(Promise.all(quick))).toBeLessThan(TIMEOUT_MS / 2);
    for (let i = 0; i < 10; i++) {
      stuck.push(statusOf(reader.query('point', readOf('locked'))));
      await reader.query('point', readOf('open'));
    }
    const late = await timed(Promise.all(times(20, () => reader.query('point', readOf('open')))));
    expect(late).toBeLessThan(TIMEOUT_MS / 2);
    await holder.query('ROLLBACK');
    expect(new Set(await Promise.all(stuck))).toEqual(new Set([200]));
  });

  it('come back to their connections: those that were held up are closed', async () => {
    await lock();
    const stuck = reader.query('point', readOf('locked'));
    await reader.query('point', readOf('open'));
    for (let i = 0; i < 3; i++) await timed(reader.query('list', sleepFor(0.1)));
    await holder.query('ROLLBACK');
    await stuck;
    await Promise.all(times(100, () => reader.query('point', readOf('open'))));
    const count = async () =>
      (
        await holder.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'kindred-point'`,
        )
      ).rows[0]?.n;
    for (let i = 0; (await count()) !== 2 && i < 100; i++) await reader.query('list', sleepFor(0.05));
    expect(await count()).toBe(2);
    expect(reader.load().point).toEqual({ underWay: 0, waiting: 0 });
  });

  it('of a locked table end at the time limit, as ever', async () => {
    await reader.close();
    reader = new Reader(database.url, 500, SPLIT);
    await lock();
    await expect(reader.query('point', readOf('locked'))).rejects.toMatchObject({ code: '57014' });
    await reader.query('point', readOf('open'));
  });
});

describe('reads of one moment', () => {
  it('that fail leave the others of one moment alone', async () => {
    const lists = new BatchLoader<ResultRow[]>(
      async ([text]) => new Map([[text, await reader.query('list', { text, values: [] })]]),
      1,
    );
    const reads = [
      `SELECT pg_sleep(0.1), '1' AS a`,
      'SELECT 1/0',
      `SELECT pg_sleep(0.1), '2' AS a`,
      'SELECT 1/0',
    ];
    const [one, bad, two, equal] = await Promise.allSettled(reads.map((text) => lists.get(text)));
    expect(one).toMatchObject({ status: 'fulfilled', value: [{ a: '1' }] });
    expect(two).toMatchObject({ status: 'fulfilled', value: [{ a: '2' }] });
    for (const failed of [bad, equal]) expect(failed).toMatchObject({ reason: { code: '22012' } });
  });
});
