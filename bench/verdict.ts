import { aligned } from './report.js';

/** One target and how it went. */
export interface Verdict {
  readonly what: string;
  readonly measured: string;
  readonly target: string;
  /** null: there is no target. */
  readonly isMet: boolean | null;
}

/** Measured at least so much; without a least, just measured. */
export function atLeast(what: string, measured: number, least: number | undefined): Verdict {
  const target = least === undefined ? '–' : `≥ ${least.toFixed(2)}`;
  return {
    what,
    measured: measured.toFixed(2),
    target,
    isMet: least === undefined ? null : measured >= least,
  };
}

/** Measured at most so much. */
export function atMost(what: string, measured: number, most: number, unit = ''): Verdict {
  const text = (n: number) => (unit === '' ? n.toFixed(2) : `${n.toFixed(1)}${unit}`);
  return { what, measured: text(measured), target: `≤ ${text(most)}`, isMet: measured <= most };
}

/** The targets of a run as a table, and one line that says how many were met. */
export function verdictTable(verdicts: readonly Verdict[]): string {
  const word = ({ isMet }: Verdict) => (isMet === null ? '–' : isMet ? 'met' : 'MISSED');
  const rows = verdicts.map((one) => [one.what, one.measured, one.target, word(one)]);
  const judged = verdicts.filter(({ isMet }) => isMet !== null);
  const missed = judged.filter(({ isMet }) => !isMet).map(({ what }) => what);
  const sum = missed.length
    ? `Targets MISSED, ${missed.length} of ${judged.length}: ${missed.join(', ')}.`
    : `All targets met, ${judged.length} of ${judged.length}.`;
  return `${aligned(['', 'measured', 'target', 'verdict'], rows, 1)}\n\n${sum}`;
}
