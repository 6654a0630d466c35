import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { type Measurement, median } from './measure.js';

/** What the rounds gave for one operation, in order. */
export interface OperationResult {
  readonly name: string;
  readonly service: readonly Measurement[];
  readonly reference: readonly Measurement[];
}

const HEAD = [
  'operation',
  'server',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'DB CPU µs',
  'ratio',
  '(min – max)',
  'by CPU',
];

/**
 * The table of a run as Markdown: medians over the rounds. `ratio` is the median of the rounds' own ratios of requests/s;
 * `by CPU` the same for requests per second of CPU, server and database together, which neighbours disturb less.
 */
export function table(results: readonly OperationResult[]): string {
  const rows = results.flatMap(({ name, service, reference }) => {
    const ratios = service.map((one, i) => one.requestsPerSecond / (reference[i]?.requestsPerSecond ?? NaN));
    const byCpu = service.map((one, i) => cpuOf(reference[i]) / cpuOf(one));
    const range = `${Math.min(...ratios).toFixed(2)} – ${Math.max(...ratios).toFixed(2)}`;
    return [
      [name, 'service', ...figures(service), median(ratios).toFixed(2), range, median(byCpu).toFixed(2)],
      ['', 'reference', ...figures(reference), '', '', ''],
    ];
  });
  const widths = HEAD.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i < 2 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(HEAD), rule, ...rows.map(line)].join('\n');
}

/** One line on where the figures come from. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU';
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = loadavg()[1]?.toFixed(1) ?? '?';
  return `Node ${process.version}, ${availableParallelism()} cores (${model}), ${memory} GiB, load ${load}`;
}

/** Of server and database; of the server alone where the database's is not known. */
function cpuOf(one: Measurement | undefined): number {
  return one ? one.cpu + (one.databaseCpu || 0) : NaN;
}

function figures(all: readonly Measurement[]): string[] {
  const of = (figure: (one: Measurement) => number, digits: number) => {
    const value = median(all.map(figure));
    return Number.isNaN(value) ? '–' : value.toFixed(digits);
  };
  return [
    of((one) => one.requestsPerSecond, 0),
    of((one) => one.p50, 1),
    of((one) => one.p99, 1),
    of((one) => one.cpu, 0),
    of((one) => one.databaseCpu, 0),
  ];
}
