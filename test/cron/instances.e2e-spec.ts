import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { connect as migrate } from '../../src/database/connect.js';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/database/embedded/embedded-postgres.js';
import { createRecord } from '../support/belongings.js';
import { rowId } from '../support/rows.js';
import { installClock, moveClock, TEST_CLOCK, until } from '../support/cron-clock.js';
import { type CronInstance, startInstance } from '../support/cron-instances.js';
import { Caller } from '../support/client.js';
import { resetFixture } from '../support/fixture.js';
import { Gate } from '../support/gate.js';
import { quick } from '../support/quick.js';
import { startTestService, type TestService } from '../support/service.js';

/** Several instances as real processes on one database, under a clock that stands still until it is moved. */

const START = '2026-11-28T12:00:30.000Z';
/** Leases short enough to wait for, long enough for a busy machine. */
const SETTINGS = { lease: 4000, heartbeat: 400, pollInterval: 500, runLimit: 20_000, stopGrace: 10_000 };

interface Call {
  handler: string;
  event: string;
  tick: Date;
  attempt: number;
  pid: number;
  mark: string | null;
}
interface Run {
  id: string;
  status: string;
  attempt: string;
  error: string | null;
  scheduledFor: Date;
  finishedAt: Date | null;
}

/** An instance, and the way from it to the database. */
type Gated = CronInstance & { gate: Gate };

let folder: string;
/** A server of their own, which can be restarted. */
let postgres: EmbeddedPostgres;
let db: Client;
/** Runs no jobs: for the login, and for what instances come and go under. */
let service: TestService;
let front: Gate;
let admin: Caller;
let instances: Gated[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-cron-'));
  await startDatabase();
  const dataSource = await migrate({
    url: postgres.url,
    statementTimeoutMs: 30_000,
    progress: () => undefined,
  });
  await dataSource.destroy();
  await installClock(postgres.url, START);
  front = await Gate.to(postgres.url);
  const databaseUrl = front.urlFor(postgres.url);
  const starting = Promise.all(Array.from({ length: 4 }, startOne));
  service = await startTestService({ databaseUrl, scheduler: { clock: TEST_CLOCK } });
  admin = (await resetFixture(service)).admin.call;
  instances = await starting;
});
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.end('SIGKILL')));
  await service.stop();
  await Promise.all([front, ...instances.map(({ gate }) => gate)].map((gate) => gate.close()));
  await db.end();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await look('DELETE FROM cronjobs');
  await look('DELETE FROM testing.calls');
  await installClock(postgres.url, START);
});

async function startDatabase() {
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'database'), settings });
  db = new Client({ connectionString: postgres.url });
  await db.connect();
}
async function startOne(): Promise<Gated> {
  const gate = await Gate.to(postgres.url);
  return { ...(await startInstance(gate.urlFor(postgres.url), SETTINGS)), gate };
}
/** Takes an instance out by an orderly stop; its exit code. */
async function leave(instance: Gated) {
  instances = instances.filter((one) => one !== instance);
  const code = await instance.end('SIGTERM');
  await instance.gate.close();
  return code;
}
const instanceOf = (call: Call | undefined) => {
  const found = instances.find(({ pid }) => pid === call?.pid);
  if (!found) throw new Error('No instance has made this call.');
  return found;
};
/** Looks at the database behind everybody's back. */
const look = async <T = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  (await db.query(text, values)).rows as T[];
const clock = { sql: (text: string) => look(text) };
const at = (instance: CronInstance | undefined) => new Caller(instance?.url ?? '', admin.cookie);
const newGate = () => join(folder, randomUUID());
const open = (gate: string) => writeFile(gate, '');
const runsOf = (job: string) =>
  look<Run>('SELECT * FROM cronruns WHERE "cronJobId" = $1 ORDER BY "scheduledFor"', [
    rowId(service, 'CronJob', job),
  ]);
const calls = () => look<Call>('SELECT * FROM testing.calls ORDER BY id');
const told = (event: string, n = 1) =>
  until(`${n} × ${event}`, async () => {
    const found = (await calls()).filter((call) => call.event === event);
    return found.length >= n && found;
  });
const settled = (job: string, n: number) =>
  until(`${n} finished runs`, async () => {
    const runs = await runsOf(job);
    return runs.length >= n && runs.every(({ status }) => ['succeeded', 'failed'].includes(status)) && runs;
  });
/** The one run of the job has this status and has begun so many tries. */
const tried = (job: string, attempt: number, status: string) =>
  until(`try ${attempt} ${status}`, async () => {
    const [run] = await runsOf(job);
    return run?.status === status && Number(run.attempt) === attempt && run;
  });
const minutely = (handler: string, params?: object) =>
  createRecord(at(instances[0]), '/cronjobs', { schedule: '* * * * *', handler, params });
const yearly = (handler: string, params?: object) =>
  createRecord(at(instances[0]), '/cronjobs', { schedule: '0 0 1 1 *', handler, params });

describe('several instances together', () => {
  it('run a job once for each of 60 due minutes', async () => {
    const job = await minutely('Note');
    for (let n = 1; n <= 60; n++) {
      await moveClock(clock, { by: '1 minute' });
      await until(`run ${n}`, async () => {
        const [row] = await look<{ n: string }>(
          `SELECT count(*) AS n FROM cronruns WHERE "cronJobId" = $1 AND status = 'succeeded'`,
          [rowId(service, 'CronJob', job)],
        );
        return Number(row?.n) >= n;
      });
    }
    const runs = await settled(job, 60);
    expect(runs.map(({ attempt }) => Number(attempt))).toEqual(Array.from({ length: 60 }, () => 1));
    const ticks = (await calls()).map(({ tick }) => tick.toISOString());
    const expected = Array.from({ length: 60 }, (_, i) => new Date(Date.parse(START) + 30_000 + i * 60_000));
    expect(ticks).toEqual(expected.map((tick) => tick.toISOString()));
  });

  it('many jobs due in the same minute all run once, and every instance takes part', async () => {
    await look(
      `INSERT INTO cronjobs (schedule, handler, "nextRunAt") SELECT '1 12 * * *', 'Note', '2026-11-28 12:01Z' FROM generate_series(1, 200)`,
    );
    await moveClock(clock, { by: '1 minute' });
    const all = await told('ran', 200);
    const [row] = await look(
      `SELECT count(*) AS runs, count(DISTINCT "cronJobId") AS jobs, max(attempt) AS attempts FROM cronruns`,
    );
    expect(row).toEqual({ runs: '200', jobs: '200', attempts: '1' });
    expect(all).toHaveLength(200);
    expect(new Set(all.map(({ pid }) => pid))).toEqual(new Set(instances.map(({ pid }) => pid)));
  });

  it('create, edit, disable and delete reach every instance within two seconds', async () => {
    const job = await yearly('Note');
    const name = `CronJob ${rowId(service, 'CronJob', job)}`;
    const everywhere = async (there: boolean) => {
      const start = performance.now();
      await until('all instances', async () => {
        const timers = await Promise.all(instances.map((instance) => instance.timers()));
        return timers.every((names) => names.includes(name) === there);
      });
      expect(performance.now() - start).toBeLessThan(quick(2000));
    };
    await everywhere(true);
    await at(instances[1]).put(`/cronjobs/${job}`, { enabled: false });
    await everywhere(false);
    await at(instances[2]).put(`/cronjobs/${job}`, { enabled: true, schedule: '* * * * *' });
    await everywhere(true);
    await moveClock(clock, { by: '1 minute' });
    await settled(job, 1); // the new schedule counts
    await at(instances[0]).delete(`/cronjobs/${job}`);
    await everywhere(false);
    await moveClock(clock, { by: '1 minute' });
    expect(await calls()).toHaveLength(1);
  });

  it('runs of one job never overlap, those that a user asked for included', async () => {
    const gate = newGate();
    const job = await minutely('Hold', { gate });
    await moveClock(clock, { by: '1 minute' });
    await told('began');
    for (let n = 0; n < 3; n++) await moveClock(clock, { by: '1 minute' });
    await Promise.all(instances.slice(0, 3).map((instance) => at(instance).post(`/cronjobs/${job}/run`)));
    await until('the queue', async () => (await runsOf(job)).length >= 5);
    const rows = await look(
      'SELECT status, manual, attempt::int, "scheduledFor"::text AS tick FROM cronruns WHERE "cronJobId" = $1 ORDER BY manual, "scheduledFor"',
      [rowId(service, 'CronJob', job)],
    );
    // One runs; one tick waits and stands for the three; three were asked for.
    expect(rows).toMatchObject([
      { status: 'running', manual: false, attempt: 1 },
      { status: 'queued', manual: false, attempt: 0 },
      { status: 'queued', manual: true },
      { status: 'queued', manual: true },
      { status: 'queued', manual: true },
    ]);
    expect(await calls()).toHaveLength(1);
    await open(gate);
    await settled(job, 5);
    const events = (await calls()).map(({ event }) => event);
    expect(events).toEqual(Array.from({ length: 5 }, () => ['began', 'ended']).flat());
    await moveClock(clock, { by: '1 minute' });
    await settled(job, 6); // not stuck
  });

  it('a run whose job is deleted is told to stop, and a run that ends later changes nothing', async () => {
    const job = await yearly('Hold', { gate: newGate() });
    await at(instances[1]).post(`/cronjobs/${job}/run`);
    await told('began');
    expect((await at(instances[2]).delete(`/cronjobs/${job}`)).status).toBe(200);
    await told('aborted');
    expect(await look('SELECT 1 FROM cronruns')).toEqual([]);
  });
});

describe('handlers that fail', () => {
  it.each([
    ['Throws', 'thrown at once'],
    ['ThrowsText', 'only a text'],
    ['RejectsUndefined', 'undefined'],
    ['ThrowsNoText', 'The handler threw something that has no text.'],
    ['StreamError', 'stream broke'],
    ['StrayRejection', 'nobody awaits'],
    ['GarbageThenable', 'no then'],
  ])('%s: the run says so, is tried again later, and everything lives', async (handler, error) => {
    const job = await yearly(handler);
    await admin.post(`/cronjobs/${job}/run`);
    expect(await tried(job, 1, 'queued')).toMatchObject({ error });
    const other = await yearly('Note');
    await admin.post(`/cronjobs/${other}/run`);
    await tried(other, 1, 'succeeded');
    expect(instances.map(({ process }) => process.exitCode)).toEqual(instances.map(() => null));
  });

  it('a long message is bounded and fit to be stored, without a stack', async () => {
    const job = await yearly('Rejects');
    await admin.post(`/cronjobs/${job}/run`);
    const { error } = await tried(job, 1, 'queued');
    expect(error).toMatch(/^rejected later \uFFFD \uFFFD x{1900,}$/);
    expect(error).toHaveLength(2000);
  });

  it('what a handler returns does not matter', async () => {
    const job = await yearly('Garbage');
    await admin.post(`/cronjobs/${job}/run`);
    await tried(job, 1, 'succeeded');
  });
});

describe('instances that leave, and a database that does', () => {
  it('a run whose instance is killed, cut off or blocked is taken over once, and an instance that comes back changes nothing', async () => {
    const gate = newGate();
    const loop = newGate();
    const jobOf = (mark: string) => yearly(mark === 'blocked' ? 'Busy' : 'Hold', { gate, loop, mark });
    const jobs = { blocked: await jobOf('blocked'), cut: await jobOf('cut'), killed: await jobOf('killed') };
    const begin = async (mark: keyof typeof jobs) => {
      await admin.post(`/cronjobs/${jobs[mark]}/run`);
      const began = await until(`${mark} begins`, async () =>
        (await calls()).find((one) => one.mark === mark),
      );
      return { job: jobs[mark], instance: instanceOf(began) };
    };
    const blocked = await begin('blocked');
    const cut = await begin('cut');
    cut.instance.gate.cut();
    const killed = await begin('killed');
    const victims = [blocked, cut, killed];
    const pids = victims.map(({ instance }) => instance.pid);
    expect(new Set(pids).size).toBe(3);
    expect(await killed.instance.end('SIGKILL')).toBe('SIGKILL');
    const [survivor] = instances.filter(({ pid }) => !pids.includes(pid));

    // The others go on: requests are answered, jobs run.
    const other = await createRecord(at(survivor), '/cronjobs', { schedule: '0 0 1 1 *', handler: 'Note' });
    expect((await at(survivor).post(`/cronjobs/${other}/run`)).status).toBe(201);
    await tried(other, 1, 'succeeded');

    // Who can't reach the database gives up by itself, before it hears that another one has taken over.
    await until('the cut instance gives up', () =>
      Promise.resolve(cut.instance.log().includes('lease lost')),
    );
    const began = await told('began', 6);
    expect(
      began
        .slice(3)
        .map(({ mark, attempt, pid }) => [mark, attempt, pid])
        .sort(),
    ).toEqual(['blocked', 'cut', 'killed'].map((mark) => [mark, 2, survivor?.pid]));

    // One comes back from its loop and has succeeded, as it thinks: that must not count. Its stop stores what it can.
    await open(loop);
    expect(await leave(blocked.instance)).toBe(0);
    expect(blocked.instance.log()).toMatch(/cron run (lost|succeeded)/);
    cut.instance.gate.fix();
    await until('the cut instance works', () =>
      Promise.resolve(cut.instance.log().includes('the scheduler works again')),
    );
    for (const { job } of victims) expect(await tried(job, 2, 'running')).toMatchObject({ finishedAt: null });
    await open(gate);
    for (const { job } of victims) await tried(job, 2, 'succeeded');
    expect((await calls()).filter(({ event }) => event === 'ended').map(({ pid }) => pid)).toEqual(
      pids.map(() => survivor?.pid),
    );
    await killed.instance.gate.close();
    instances = instances.filter((one) => one !== killed.instance);
  });

  it('an orderly stop that waits in vain gives the runs back, and the try does not count; a disabled job’s run is over', async () => {
    const gate = newGate();
    const leaving = instances[0];
    const jobs = new Map<string, string>();
    // As many as both have room for.
    for (let n = 1; n <= 8; n++) jobs.set(`${n}`, await minutely('Hold', { gate, mark: `${n}` }));
    await moveClock(clock, { by: '1 minute' });
    const held = (await told('began', 8)).filter(({ pid }) => pid === leaving?.pid);
    const [unwanted, ...wanted] = held.map(({ mark }) => jobs.get(mark ?? '') ?? '');
    expect(wanted).toHaveLength(3);
    await admin.put(`/cronjobs/${unwanted}`, { enabled: false });
    leaving?.set({ stopGrace: 100 });
    expect(leaving && (await leave(leaving))).toBe(0);
    expect((await told('aborted', 4)).map(({ pid }) => pid)).toEqual(held.map(({ pid }) => pid));
    expect(await runsOf(unwanted ?? '')).toMatchObject([
      {
        status: 'failed',
        error: 'Its instance stopped in the middle, and the job is disabled.',
        finishedAt: new Date('2026-11-28T12:01:30Z'),
      },
    ]);
    await open(gate);
    for (const job of jobs.values()) if (job !== unwanted) await tried(job, 1, 'succeeded');
    // Nothing of it comes back to life with its job.
    await admin.put(`/cronjobs/${unwanted}`, { enabled: true });
    const other = await yearly('Note');
    await admin.post(`/cronjobs/${other}/run`);
    await tried(other, 1, 'succeeded');
    const begun = (await calls()).filter(({ event }) => event === 'began');
    expect(begun).toHaveLength(8 + 3);
  });

  it('the database restarts in mid-run: the run ends well, once, and the next ticks come', async () => {
    const gate = newGate();
    const [instance] = instances;
    instance?.set({ lease: 60_000 }); // longer than the restart takes on a busy machine
    const job = await minutely('Hold', { gate });
    await moveClock(clock, { by: '1 minute' });
    await told('began');
    const before = instance?.log().length;
    await db.end();
    await postgres.stop();
    await until('a complaint', () =>
      Promise.resolve(instance?.log().slice(before).includes('the scheduler can’t work now')),
    );
    await startDatabase();
    for (const way of [front, ...instances.map((one) => one.gate)]) way.leadTo(postgres.url);
    await open(gate);
    expect(await settled(job, 1)).toMatchObject([{ status: 'succeeded', attempt: '1' }]);
    await moveClock(clock, { by: '1 minute' });
    await settled(job, 2);
    expect((await calls()).map(({ event }) => event)).toEqual(['began', 'ended', 'began', 'ended']);
  });

  it('an orderly stop waits for the runs', async () => {
    const gate = newGate();
    const [leaving] = instances;
    const jobs = await Promise.all(Array.from({ length: 4 }, () => yearly('Hold', { gate })));
    await Promise.all(jobs.map((job) => admin.post(`/cronjobs/${job}/run`)));
    await told('began', 4);
    const code = leaving && leave(leaving);
    await open(gate);
    expect(await code).toBe(0);
    for (const job of jobs) await tried(job, 1, 'succeeded');
    const events = (await calls()).map(({ event }) => event);
    expect(events.sort()).toEqual(['began', 'began', 'began', 'began', 'ended', 'ended', 'ended', 'ended']);
  });
});
