import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { createDatabase, sql } from '../../test/support/database.js';
import { ApiError } from '../common/errors.js';
import { INTERNAL_REQUESTER } from '../common/requester.js';
import { FairSlots } from '../common/fair-slots.js';
import { dataSourceOptions } from '../database/data-source-options.js';
import { Database } from './database.js';
import { isAbandoned } from './error-code.js';
import { Reader } from './reader.js';
import type { ReadStatement, ResultRow } from './statement.js';

/*
 * PostgreSQL does not check for interrupts while it normalizes a text: neither its own time limit nor the end of the
 * connection stops that. A connection must not be replaced before.
 */

/** So many marks that ordering them takes longer than the client waits: STATEMENT_TIMEOUT_MS and a second. */
const UNSTOPPABLE = {
  text: `SELECT length(normalize(repeat(U&'\\0301\\3099', $1::int), NFC)) AS length`,
  values: [14_000],
  table: 'texts',
};
/** Other backends of the service that work on a statement; those that it opened for short reads aside. */
const BUSY = {
  text: `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND application_name IN ('kindred', 'kindred-list')
      AND state <> 'idle' AND pid <> pg_backend_pid()`,
  values: [],
  table: 'pg_stat_activity',
};
const STATEMENT_TIMEOUT_MS = 200;
const LIMITS = { maxWaiting: 10, timeoutMs: 60_000 };

let instance: Awaited<ReturnType<typeof createDatabase>>;
let dataSource: DataSource;
let reader: Reader;
let database: Database;
beforeAll(async () => {
  instance = await createDatabase('plain');
});
afterAll(() => instance.drop());
beforeEach(async () => {
  dataSource = await new DataSource(
    await dataSourceOptions(instance.url, STATEMENT_TIMEOUT_MS, 1),
  ).initialize();
  reader = new Reader(instance.url, STATEMENT_TIMEOUT_MS, { point: 1, aside: 1, list: 1 });
  database = new Database(dataSource, reader, new FairSlots([null], LIMITS));
});
afterEach(async () => {
  await database.onApplicationShutdown();
  await dataSource.destroy();
});

const countIn = (rows: readonly ResultRow[]) => Number(rows[0]?.count);
const busy = async () => countIn(await sql(instance.url, BUSY.text));
const WAYS: [string, (statement: ReadStatement) => Promise<ResultRow[]>][] = [
  ['a write', (statement) => database.write(statement)],
  ['a transaction', (statement) => database.transaction((tx) => tx.query(statement))],
  ['a slow read', (statement) => database.read('list', statement, INTERNAL_REQUESTER)],
];

/** Reads wait no longer than STATEMENT_TIMEOUT_MS for a connection: they are asked again. */
const patiently = async (run: () => Promise<ResultRow[]>): Promise<ResultRow[]> => {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ApiError && error.kind === 'unavailable')) throw error;
    }
  }
};

describe('an abandoned statement', () => {
  it.each(WAYS)('of %s keeps its connection until PostgreSQL has finished it', async (_way, run) => {
    const error: unknown = await run(UNSTOPPABLE).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(isAbandoned(error)).toBe(true);
    // The caller has its answer, and PostgreSQL still works on it.
    expect(await busy()).toBe(1);
    expect(countIn(await patiently(() => run(BUSY)))).toBe(0);
  });

  it('is waited for no longer when the service stops', async () => {
    const holder = new Client({ connectionString: instance.url });
    await holder.connect();
    await holder.query('BEGIN');
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    let isFinished = false;
    const finished = reader.abandoned.finished(Number(rows[0]?.pid)).then(() => (isFinished = true));
    // A backend that does nothing is finished at once: this one was asked about at the same time.
    await reader.abandoned.finished(0);
    expect(isFinished).toBe(false);
    await database.onApplicationShutdown();
    await finished;
    await reader.abandoned.finished(Number(rows[0]?.pid));
    await holder.end();
  });
});
