import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** CPU time of all processes of a PostgreSQL server so far, in microseconds; NaN where /proc does not tell. */
export type DatabaseCpu = () => number;

/** Linux counts in hundredths of a second (proc(5), sysconf(_SC_CLK_TCK)). */
const TICK_US = 10_000;

/** Follows the embedded server of a data folder: the postmaster, its living children and those that have ended. */
export function databaseCpu(dataDir: string): DatabaseCpu {
  const pid = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0] ?? '';
  return () => {
    const own = statOf(pid);
    if (!own) return NaN;
    let ticks = own.ticks + own.endedChildren;
    for (const name of readdirSync('/proc')) {
      const stat = /^\d+$/.test(name) ? statOf(name) : null;
      if (stat?.parent === pid) ticks += stat.ticks;
    }
    return ticks * TICK_US;
  };
}

/** proc(5): after the name in parentheses, field 4 is the parent, 14 to 17 utime, stime, cutime, cstime. */
function statOf(pid: string): { parent: string; ticks: number; endedChildren: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent = '', ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = rest.slice(9, 13).map(Number);
    return { parent, ticks: user + system, endedChildren: childUser + childSystem };
  } catch {
    return null;
  }
}
