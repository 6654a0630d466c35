// How long 10 000 jobs that are due in the same minute take, on three instances and one PostgreSQL, all on this machine:
//   node bench/cron.mjs [jobs] [instances] [concurrency]
// Needs a build (npm run build). Each job's handler writes one row.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../dist/src/database/embedded/embedded-postgres.js';

const [jobs = 10_000, count = 3, concurrency = 10] = process.argv.slice(2).map(Number);
const dataDir = await mkdtemp(join(tmpdir(), 'kindred-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir });
const children = [];
try {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`CREATE SCHEMA testing; CREATE TABLE testing.calls
    (id bigint GENERATED ALWAYS AS IDENTITY, handler text, event text, tick timestamptz, attempt int, pid int, mark text)`);
  const options = {
    databaseUrl: postgres.url,
    env: {
      APP_SECRET: 'a secret for benchmarks, 32 characters',
      LOG_LEVEL: 'warn',
      CRON_CONCURRENCY: String(concurrency),
    },
    settings: {},
  };
  for (let i = 0; i < count; i++) {
    const child = fork(new URL('../test/support/cron-instance.mjs', import.meta.url), [
      JSON.stringify(options),
    ]);
    await once(child, 'message');
    children.push(child);
  }
  const { rows } = await client.query(
    `INSERT INTO cronjobs (schedule, handler, "nextRunAt")
     SELECT '* * * * *', 'Note', date_trunc('minute', clock_timestamp()) + interval '1 minute' FROM generate_series(1, $1)
     RETURNING "nextRunAt"`,
    [jobs],
  );
  await client.query(`SELECT pg_notify('kindred_cron', 'job ' || id) FROM cronjobs`);
  const tick = rows[0].nextRunAt;
  console.log(`${jobs} jobs due at ${tick.toISOString()}, ${count} instances × ${concurrency}`);
  for (;;) {
    const { rows: left } = await client.query(
      `SELECT count(*)::int AS n FROM cronruns WHERE "scheduledFor" = $1 AND status = 'succeeded'`,
      [tick],
    );
    if (left[0].n === jobs) break;
    await sleep(200);
  }
  const { rows: figures } = await client.query(
    `SELECT count(*)::int AS runs, count(DISTINCT "cronJobId")::int AS jobs, max(attempt)::int AS "mostTries",
       extract(epoch FROM min("startedAt") - "scheduledFor")::float AS "firstStart",
       extract(epoch FROM percentile_disc(0.5) WITHIN GROUP (ORDER BY "startedAt") - "scheduledFor")::float AS "medianStart",
       extract(epoch FROM max("finishedAt") - "scheduledFor")::float AS "lastEnd"
     FROM cronruns WHERE "scheduledFor" = $1 GROUP BY "scheduledFor"`,
    [tick],
  );
  const { rows: shares } = await client.query(
    `SELECT pid, count(*)::int AS runs FROM testing.calls WHERE tick = $1 GROUP BY pid ORDER BY runs`,
    [tick],
  );
  console.log(figures[0]);
  console.log('runs by instance:', shares.map(({ runs }) => runs).join(', '));
  await client.end();
} finally {
  for (const child of children) child.kill('SIGKILL');
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
