import type { Client } from 'pg';
import { ARTICLES } from './constants.js';
import { loadTool } from './load-tool.js';
import { type Measurement, measure } from './measure.js';
import { median } from './statistics.js';
import { operations } from './operations.js';
import type { BenchOptions } from './options.js';
import { waitForQuiet } from './quiet.js';
import { aligned, machine } from './report.js';
import type { ServerProcess } from './server-process.js';
import { type BenchDatabase, restore, type Stage, withClient } from './stage.js';
import { atMost, type Verdict } from './verdict.js';

/** Percent of creates/s that the triggers may cost. */
const MAX_LOSS = 10;

/** Creates with the triggers on and off. */
interface Round {
  readonly on: Measurement;
  readonly off: Measurement;
}

/**
 * What the triggers that keep the totals cost writers that come at the same time: creates as it is, and with the
 * table's triggers off, in turn.
 */
export async function writers(stage: Stage, options: BenchOptions): Promise<Verdict[]> {
  const { say } = stage;
  const data = await stage.load(options.rows);
  const names = await withClient(data.url, triggersOf);
  say(
    names.length
      ? `Triggers of the table: ${names.join(', ')}.`
      : 'The table has no trigger: both sides are the same, and what differs is the noise.',
  );
  const service = await stage.service(data, options.logLevel);
  const create = operations(data.rows, data.callers, stage.ids).find(({ name }) => name === 'create');
  if (!create) throw new Error('There is no create.');
  const { name: tool, run } = await loadTool();
  const load = { ...options, tool: run, database: stage.databaseCpu() };
  const asItIs = async () => {
    const measured = await measure(service, create, load);
    await checkTotal(service, data);
    await restore(data);
    return measured;
  };
  const without = () =>
    withTriggersOff(data, () => measure(service, create, load).finally(() => restore(data)));
  say(`Warming up, ${options.seconds} s with and without …`);
  await asItIs();
  await without();
  const results: Round[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    await waitForQuiet(options.quietSeconds, say);
    const first = round % 2 ? await asItIs() : await without();
    const second = round % 2 ? await without() : await asItIs();
    const [on, off] = round % 2 ? [first, second] : [second, first];
    results.push({ on, off });
    const rates = `${on.requestsPerSecond.toFixed(0)} creates/s, ${off.requestsPerSecond.toFixed(0)} without triggers`;
    say(`Round ${round} of ${options.rounds}: ${rates}`);
  }
  const how = `${data.rows} rows, rounds: ${options.rounds} of ${options.seconds} s, ${options.connections} writers`;
  say(`\n${how}; ${tool}; ${machine()}\n\n${table(results)}\n`);
  const losses = results.map(({ on, off }) => (1 - on.requestsPerSecond / off.requestsPerSecond) * 100);
  return [atMost('creates/s lost to triggers', median(losses), MAX_LOSS, ' %')];
}

/** Runs `work` with the table's own triggers off; those of foreign keys stay on. What it writes it must take away again. */
async function withTriggersOff<T>({ url }: BenchDatabase, work: () => Promise<T>): Promise<T> {
  const turn = (how: string) =>
    withClient(url, (client) => client.query(`ALTER TABLE dummyarticles ${how} TRIGGER USER`));
  await turn('DISABLE');
  try {
    return await work();
  } finally {
    await turn('ENABLE');
  }
}

async function triggersOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT tgname AS name FROM pg_trigger WHERE tgrelid = 'dummyarticles'::regclass AND NOT tgisinternal ORDER BY tgname`,
  );
  return rows.map(({ name }) => name);
}

/** After creates at the same time the service must tell the exact total. */
async function checkTotal(service: ServerProcess, { url }: BenchDatabase): Promise<void> {
  const answer = (await (await fetch(service.url + ARTICLES)).json()) as { paging: { totalItems: number } };
  const told = answer.paging.totalItems;
  const { rows } = await withClient(url, (client) =>
    client.query<{ count: number }>('SELECT count(*)::int AS count FROM dummyarticles'),
  );
  const counted = rows[0]?.count;
  if (told !== counted)
    throw new Error(`The service tells a total of ${told}; there are ${counted} articles.`);
}

function table(results: readonly Round[]): string {
  const side = (name: string, all: readonly Measurement[]) => {
    const of = (figure: (one: Measurement) => number) => median(all.map(figure)).toFixed(0);
    const latencies = [of((one) => one.p50), of((one) => one.p99)];
    return [
      name,
      of((one) => one.requestsPerSecond),
      ...latencies,
      of((one) => one.cpu),
      of((one) => one.databaseCpu),
    ];
  };
  const on = results.map((round) => round.on);
  const off = results.map((round) => round.off);
  const head = ['', 'creates/s', 'p50 ms', 'p99 ms', 'CPU µs', 'DB CPU µs'];
  return aligned(head, [side('as it is', on), side('triggers off', off)], 1);
}
