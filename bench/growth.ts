import { loadTool } from './load-tool.js';
import { type Measurement, measure } from './measure.js';
import { median } from './statistics.js';
import { operations } from './operations.js';
import type { BenchOptions } from './options.js';
import { waitForQuiet } from './quiet.js';
import { aligned, cpuOf, machine } from './report.js';
import type { ServerProcess } from './server-process.js';
import type { BenchDatabase, Stage } from './stage.js';
import { atMost, type Verdict } from './verdict.js';

const SIZES = [10_000, 100_000, 1_000_000, 10_000_000];
const OPERATIONS = ['list 10', 'deep page'];
/** A list with its exact total may cost this many times what it costs on the smallest table. */
const MAX_LIST_GROWTH = 1.5;

interface Table {
  readonly data: BenchDatabase;
  readonly service: ServerProcess;
  /** The rounds' measurements, by the name of the operation. */
  readonly measured: Map<string, Measurement[]>;
}

/**
 * How the cost of a page grows with the table: tables of several sizes, each in a database of its own with a service of
 * its own, all of them up at the same time and measured in turn.
 */
export async function growth(stage: Stage, options: BenchOptions): Promise<Verdict[]> {
  const { say } = stage;
  const tables: Table[] = [];
  for (const rows of SIZES.filter((size) => size <= options.mostRows)) {
    const data = await stage.load(rows);
    const service = await stage.service(data, options.logLevel);
    tables.push({ data, service, measured: new Map(OPERATIONS.map((name) => [name, []])) });
  }
  const { name: tool, run } = await loadTool();
  const load = { ...options, tool: run, database: stage.databaseCpu() };
  say(`Warming up, ${options.seconds} s for each operation and size …`);
  // Round 0 is the warm-up.
  for (let round = 0; round <= options.rounds; round++) {
    if (round > 0) await waitForQuiet(options.quietSeconds, say);
    for (const { data, service, measured } of tables) {
      for (const operation of operations(data.rows, data.callers, stage.ids)) {
        if (!measured.has(operation.name)) continue;
        const one = await measure(service, operation, load);
        if (round > 0) measured.get(operation.name)?.push(one);
      }
    }
    if (round > 0) say(`Round ${round} of ${options.rounds} is done.`);
  }
  const how = `Rounds: ${options.rounds} of ${options.seconds} s, ${options.connections} connections`;
  say(`\n${how}; ${tool}; ${machine()}\n`);
  return OPERATIONS.flatMap((name) => report(name, tables, say));
}

/** Prints how one operation grows, as Markdown; answers the verdicts on it. */
function report(name: string, tables: readonly Table[], say: Stage['say']): Verdict[] {
  const smallest = tables[0]?.measured.get(name) ?? [];
  const verdicts: Verdict[] = [];
  const rows = tables.map(({ data, measured }) => {
    const all = measured.get(name) ?? [];
    const of = (figure: (one: Measurement) => number) => median(all.map(figure)).toFixed(0);
    // The rounds' own ratios: what disturbed one round disturbed all sizes.
    const ratio = median(all.map((one, i) => cpuOf(one) / cpuOf(smallest[i])));
    const size = data.rows.toLocaleString('en').replaceAll(',', ' ');
    if (name === 'list 10' && all !== smallest) {
      verdicts.push(atMost(`${name}, ${size} rows: CPU, times that of the smallest`, ratio, MAX_LIST_GROWTH));
    }
    const figures = [of((one) => one.requestsPerSecond), of((one) => one.cpu), of((one) => one.databaseCpu)];
    return [name, size, ...figures, of(cpuOf), ratio.toFixed(2)];
  });
  const head = ['operation', 'rows', 'requests/s', 'CPU µs', 'DB CPU µs', 'both µs', 'ratio'];
  say(`${aligned(head, rows, 1)}\n`);
  return verdicts;
}
