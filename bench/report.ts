import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { type Measurement } from './measure.js';
import { median } from './statistics.js';

/** What the rounds gave for one operation, in order. */
export interface OperationResult {
  readonly name: string;
  readonly target?: number;
  readonly service: readonly Measurement[];
  readonly reference: readonly Measurement[];
}

const MEGABYTE = 1e6;
const HEAD = ['operation', 'server', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'DB CPU µs', 'RSS MB'];
const RATIOS = ['ratio', '(min – max)', 'by CPU'];

/**
 * The table of a run as Markdown: medians over the rounds, of memory the most. `ratio` is the median of the rounds' own
 * ratios of requests/s; `by CPU` the same for requests per second of CPU, server and database together, which neighbours
 * disturb less.
 */
export function table(results: readonly OperationResult[]): string {
  const rows = results.flatMap((result) => {
    const all = ratios(result);
    const range = `${Math.min(...all).toFixed(2)} – ${Math.max(...all).toFixed(2)}`;
    const own = [median(all).toFixed(2), range, median(cpuRatios(result)).toFixed(2)];
    return [
      [result.name, 'service', ...figures(result.service), ...own],
      ['', 'reference', ...figures(result.reference), '', '', ''],
    ];
  });
  return aligned([...HEAD, ...RATIOS], rows, 2);
}

/** The ratios service/reference of requests/s, one for each round. */
export function ratios({ service, reference }: OperationResult): number[] {
  return service.map((one, i) => one.requestsPerSecond / (reference[i]?.requestsPerSecond ?? NaN));
}

/** The ratios service/reference of requests per second of CPU, server and database together, one for each round. */
export function cpuRatios({ service, reference }: OperationResult): number[] {
  return service.map((one, i) => cpuOf(reference[i]) / cpuOf(one));
}

/** CPU of server and database for one request; of the server alone where the database's is not known. */
export function cpuOf(one: Measurement | undefined): number {
  return one ? one.cpu + (one.databaseCpu || 0) : NaN;
}

/** A Markdown table, lined up. @param texts how many columns from the left are texts; the others are numbers */
export function aligned(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  texts: number,
): string {
  const widths = head.map((one, i) => Math.max(one.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const pad = (cell: string, i: number) =>
    i < texts ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
  const line = (cells: readonly string[]) => `| ${cells.map(pad).join(' | ')} |`;
  const rule = widths.map((width, i) => (i < texts ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

/** One line on where the figures come from. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU';
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = loadavg()[1]?.toFixed(1) ?? '?';
  return `Node ${process.version}, ${availableParallelism()} cores (${model}), ${memory} GiB, load ${load}`;
}

/** Bytes → `87.3 MB`, of a million bytes each. */
export const megabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;

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
    (Math.max(...all.map((one) => one.rss)) / MEGABYTE).toFixed(0),
  ];
}
