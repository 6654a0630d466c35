import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../src/database/embedded/embedded-postgres.js';
import { Ids } from '../src/record/ids.js';
import { databaseCpu } from './database-cpu.js';
import { loadData, tidy } from './load-data.js';
import { type Load, type Measurement, measure } from './measure.js';
import { type Operation, operations } from './operations.js';
import { type BenchOptions, benchOptions } from './options.js';
import { summary } from './profile.js';
import { machine, type OperationResult, table } from './report.js';
import { checkSame } from './same.js';
import { ServerProcess } from './server-process.js';

const SECRET = 'a secret for benchmarks alone, 32 characters';
const WARM_UP_SECONDS = 2;
/** Profiles for speedscope.app or the developer tools of a browser. */
const PROFILES = join('.cache', 'profiles');

/** Undone in reverse order at the end, on failure and on Ctrl-C. */
const cleanups: (() => Promise<unknown>)[] = [];
let ending: Promise<void> | undefined;

const say = (line: string): void => console.log(line);

function cleanUp(): Promise<void> {
  return (ending ??= (async () => {
    for (const act of cleanups.reverse()) await act().catch((error: unknown) => say(String(error)));
  })());
}

async function main(options: BenchOptions): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kindred-bench-'));
  cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
  say('Starting PostgreSQL …');
  const starting = startEmbeddedPostgres({ dataDir, progress: say });
  cleanups.push(async () => (await starting.catch(() => null))?.stop());
  const { url } = await starting;
  const logins = await loadData(url, options.rows, say);

  const servers = await startServers(url, options.logLevel);
  const ids = new Ids(SECRET);
  const compared = await checkSame(servers, options.rows, logins, ids);
  say(`Service and reference gave the same answers to ${compared} requests.`);

  const all = operations(options.rows, logins, ids);
  const chosen = all.filter(({ name }) => !options.only.length || options.only.includes(name));
  if (!chosen.length) throw new Error(`--only takes: ${all.map(({ name }) => name).join(', ')}.`);
  const load = { ...options, database: databaseCpu(dataDir) };
  say(`Warming up, ${WARM_UP_SECONDS} s for each operation and side …`);
  for (const operation of chosen) {
    for (const server of servers) await measure(server, operation, { ...load, seconds: WARM_UP_SECONDS });
  }
  const results = await rounds(chosen, servers, load, options.rounds, () => tidy(url, options.rows));
  if (options.rounds > 0) {
    const how = `${options.rows} rows, ${options.rounds} rounds of ${options.seconds} s, ${options.connections} connections`;
    say(`\n${how}; ${machine()}\n\n${table(results)}\n`);
    for (const server of servers) {
      const { rss } = await server.usage();
      say(`Memory of the ${server.name} at the end: ${Math.round(rss / 2 ** 20)} MiB`);
    }
  }
  if (options.profile) await profiles(chosen, servers, load);
}

async function startServers(
  databaseUrl: string,
  logLevel: string,
): Promise<readonly [ServerProcess, ServerProcess]> {
  const env = { NODE_ENV: 'production', DATABASE_URL: databaseUrl, APP_SECRET: SECRET };
  const service = await ServerProcess.start('service', { ...env, PORT: '0', LOG_LEVEL: logLevel });
  cleanups.push(() => service.stop());
  const reference = await ServerProcess.start('reference', env);
  cleanups.push(() => reference.stop());
  return [service, reference];
}

/** Interleaved: neighbours on the machine disturb both sides alike, and who goes first changes from round to round. */
async function rounds(
  chosen: readonly Operation[],
  servers: readonly [ServerProcess, ServerProcess],
  load: Load,
  count: number,
  tidyUp: () => Promise<void>,
): Promise<OperationResult[]> {
  const results = chosen.map(({ name }) => ({
    name,
    service: [] as Measurement[],
    reference: [] as Measurement[],
  }));
  for (let round = 1; round <= count; round++) {
    await tidyUp();
    for (const [i, operation] of chosen.entries()) {
      const order = round % 2 ? servers : [...servers].reverse();
      for (const server of order) {
        const measured = await measure(server, operation, load);
        results[i]?.[server === servers[0] ? 'service' : 'reference'].push(measured);
      }
      const [service, reference] = [results[i]?.service.at(-1), results[i]?.reference.at(-1)];
      const rate = (one: Measurement | undefined) => (one?.requestsPerSecond ?? NaN).toFixed(0);
      say(`Round ${round} of ${count}, ${operation.name}: ${rate(service)} to ${rate(reference)} requests/s`);
    }
  }
  return results;
}

async function profiles(
  chosen: readonly Operation[],
  servers: readonly [ServerProcess, ServerProcess],
  load: Load,
): Promise<void> {
  mkdirSync(PROFILES, { recursive: true });
  for (const operation of chosen) {
    for (const server of servers) {
      await server.startProfile();
      const { cpu } = await measure(server, operation, load);
      const profile = await server.stopProfile();
      const file = join(PROFILES, `${operation.name.replaceAll(' ', '-')}-${server.name}.cpuprofile`);
      writeFileSync(file, JSON.stringify(profile));
      say(`\nProfile of ${operation.name}, ${server.name} (${file}):\n${summary(profile, cpu)}`);
    }
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    say('Stopping …');
    void cleanUp().then(() => process.exit(130));
  });
}
try {
  await main(benchOptions(process.argv.slice(2)));
} catch (error) {
  // While we stop on a signal, servers that end are no news.
  if (!ending) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
await cleanUp();
