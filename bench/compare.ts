import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTool } from './load-tool.js';
import { type Load, type Measurement, measure } from './measure.js';
import { median } from './statistics.js';
import { type Operation, operations } from './operations.js';
import type { BenchOptions } from './options.js';
import { summary } from './profile.js';
import { waitForQuiet } from './quiet.js';
import { machine, type OperationResult, cpuRatios, table } from './report.js';
import { checkSame } from './same.js';
import type { ServerProcess } from './server-process.js';
import { restore, type Stage } from './stage.js';
import { atLeast, type Verdict } from './verdict.js';

/** Service and reference. */
type Servers = readonly [ServerProcess, ServerProcess];

/** Profiles for speedscope.app or the developer tools of a browser. */
const PROFILES = join('.cache', 'profiles');

/** Every operation on the service and on the reference, in turn. */
export async function compare(stage: Stage, options: BenchOptions): Promise<Verdict[]> {
  const { say, ids } = stage;
  const data = await stage.load(options.rows);
  const servers: Servers = [await stage.service(data, options.logLevel), await stage.reference(data)];
  const chosen = choose(operations(data.rows, data.callers, ids), options.only);
  say(`Service and reference gave the same answers to ${await checkSame(servers, data, ids)} requests.`);

  const { name: tool, run } = await loadTool();
  const load = { ...options, tool: run, database: stage.databaseCpu() };
  say(`Warming up, ${options.seconds} s for each operation and side …`);
  for (const operation of chosen) for (const server of servers) await measure(server, operation, load);
  const results: (OperationResult & Record<'service' | 'reference', Measurement[]>)[] = chosen.map(
    ({ name, target }) => ({ name, target, service: [], reference: [] }),
  );
  for (let round = 1; round <= options.rounds; round++) {
    await restore(data);
    await waitForQuiet(options.quietSeconds, say);
    for (const [i, operation] of chosen.entries()) {
      const [service, reference] = await both(servers, operation, load, round);
      results[i]?.service.push(service);
      results[i]?.reference.push(reference);
      const rates = [service, reference].map((one) => one.requestsPerSecond.toFixed(0)).join(' to ');
      say(`Round ${round} of ${options.rounds}, ${operation.name}: ${rates} requests/s`);
    }
  }
  if (options.rounds > 0) {
    const how = `${data.rows} rows, rounds: ${options.rounds} of ${options.seconds} s, ${options.connections} connections`;
    say(`\n${how}; ${tool}; ${machine()}\n\n${table(results)}\n`);
  }
  if (options.profile) await profiles(chosen, servers, load, say);
  return options.rounds > 0
    ? results.map((result) => atLeast(result.name, median(cpuRatios(result)), result.target))
    : [];
}

/** Side by side in time, so that neighbours on the machine disturb both alike; who goes first changes from round to round. */
async function both(
  [service, reference]: Servers,
  operation: Operation,
  load: Load,
  round: number,
): Promise<[Measurement, Measurement]> {
  if (round % 2) return [await measure(service, operation, load), await measure(reference, operation, load)];
  const last = await measure(reference, operation, load);
  return [await measure(service, operation, load), last];
}

/** The operations whose names begin with one of the given words. */
function choose(all: readonly Operation[], only: readonly string[]): Operation[] {
  const stray = only.find((word) => !all.some(({ name }) => name.startsWith(word)));
  if (stray !== undefined) {
    const names = all.map(({ name }) => name).join(', ');
    throw new Error(`--only takes the beginnings of these, not ${stray}: ${names}.`);
  }
  return all.filter(({ name }) => !only.length || only.some((word) => name.startsWith(word)));
}

async function profiles(
  chosen: readonly Operation[],
  servers: Servers,
  load: Load,
  say: Stage['say'],
): Promise<void> {
  mkdirSync(PROFILES, { recursive: true });
  for (const operation of chosen) {
    for (const server of servers) {
      await server.startProfile();
      const { cpu } = await measure(server, operation, load);
      const profile = await server.stopProfile();
      const file = join(PROFILES, `${operation.name.replaceAll(/\W+/g, '-')}-${server.name}.cpuprofile`);
      writeFileSync(file, JSON.stringify(profile));
      say(`\nProfile of ${operation.name}, ${server.name} (${file}):\n${summary(profile, cpu)}`);
    }
  }
}
