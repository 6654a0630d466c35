import { parseArgs } from 'node:util';

/** What the command line says; see docs/performance.md. */
export interface BenchOptions {
  /** Articles to load. */
  readonly rows: number;
  /** How long one operation is measured on one side in one round. */
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  /** Names of the operations to run; empty: all. */
  readonly only: readonly string[];
  /** LOG_LEVEL of the service. The reference logs nothing, so by default the service logs failures alone. */
  readonly logLevel: string;
  /** Take a CPU profile of each operation on both sides after the rounds. */
  readonly profile: boolean;
}

/** Reads the command line. Throws with one sentence on a wrong one. */
export function benchOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: 'string', default: '100000' },
      seconds: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '9' },
      connections: { type: 'string', default: '32' },
      only: { type: 'string', default: '' },
      'log-level': { type: 'string', default: 'warn' },
      profile: { type: 'boolean', default: false },
    },
  });
  return {
    rows: whole('rows', values.rows, 1000),
    seconds: whole('seconds', values.seconds, 1),
    rounds: whole('rounds', values.rounds, 0),
    connections: whole('connections', values.connections, 1),
    only: values.only.split(',').filter((name) => name !== ''),
    logLevel: values['log-level'],
    profile: values.profile,
  };
}

function whole(name: string, text: string, least: number): number {
  const n = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (n < least) throw new Error(`--${name} must be a whole number from ${least}, not ${text}.`);
  return n;
}
