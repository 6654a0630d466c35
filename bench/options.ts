import { parseArgs } from 'node:util';

/** What is measured: service beside reference, or one of the questions about the service alone. */
export type Mode = 'compare' | 'growth' | 'memory' | 'writers';

/** What the command line says; see docs/performance.md. */
export interface BenchOptions {
  readonly mode: Mode;
  /** Articles to load. */
  readonly rows: number;
  /** How long one operation is measured on one side in one round. */
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  /** Beginnings of the names of the operations to run; empty: all. */
  readonly only: readonly string[];
  /** LOG_LEVEL of the service. The reference logs nothing, so by default the service logs failures alone. */
  readonly logLevel: string;
  /** Take a CPU profile of each operation on both sides after the rounds. */
  readonly profile: boolean;
  /** Longest wait for a quiet machine before a round, in seconds; 0: none. */
  readonly quietSeconds: number;
  /** A target that is missed makes the exit code 1. */
  readonly strict: boolean;
  /** With `growth`: the largest table. */
  readonly mostRows: number;
  /** With `memory`: how many requests. */
  readonly requests: number;
}

/** What `--quick` puts in the place of the defaults. */
const QUICK = { seconds: '1', rounds: '2', quiet: '0', requests: '100000' };
const THOROUGH = { seconds: '2', rounds: '9', quiet: '60', requests: '1000000' };

/** Reads the command line. Throws with one sentence on a wrong one. */
export function benchOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      growth: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      writers: { type: 'boolean', default: false },
      rows: { type: 'string', default: '100000' },
      'rows-max': { type: 'string', default: '1000000' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      quiet: { type: 'string' },
      requests: { type: 'string' },
      connections: { type: 'string', default: '32' },
      only: { type: 'string', default: '' },
      'log-level': { type: 'string', default: 'warn' },
      profile: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
    },
  });
  const modes = (['growth', 'memory', 'writers'] as const).filter((mode) => values[mode]);
  if (modes.length > 1) throw new Error('--growth, --memory and --writers exclude one another.');
  const mode = modes[0] ?? 'compare';
  const preset = values.quick ? QUICK : THOROUGH;
  return {
    mode,
    rows: whole('rows', values.rows, 1000),
    mostRows: whole('rows-max', values['rows-max'], 10_000),
    seconds: whole('seconds', values.seconds ?? preset.seconds, 1),
    rounds: whole('rounds', values.rounds ?? preset.rounds, mode === 'compare' ? 0 : 1),
    quietSeconds: whole('quiet', values.quiet ?? preset.quiet, 0),
    requests: whole('requests', values.requests ?? preset.requests, 10_000),
    connections: whole('connections', values.connections, 1),
    only: values.only.split(',').filter((name) => name !== ''),
    logLevel: values['log-level'],
    profile: values.profile,
    strict: values.strict,
  };
}

function whole(name: string, text: string, least: number): number {
  const n = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (n < least) throw new Error(`--${name} must be a whole number from ${least}, not ${text}.`);
  return n;
}
