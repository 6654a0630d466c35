import type { Profiler } from 'node:inspector';

const ROWS = 25;

/**
 * The heaviest functions of a CPU profile by their own time, and the sums per source file or package. A profile counts
 * by the clock on the wall, which goes on while neighbours have the core; so only shares are taken from it.
 * @param cpu CPU time of the process for one request, in microseconds, which is what the shares divide
 */
export function summary(profile: Profiler.Profile, cpu: number): string {
  const own = new Map<number, number>();
  profile.samples?.forEach((id, i) => own.set(id, (own.get(id) ?? 0) + (profile.timeDeltas?.[i] ?? 0)));
  let total = 0;
  const functions = new Map<string, number>();
  const places = new Map<string, number>();
  for (const { id, callFrame } of profile.nodes) {
    const time = own.get(id) ?? 0;
    if (time === 0 || isNoWork(callFrame)) continue;
    total += time;
    const place = placeOf(callFrame.url) || callFrame.functionName;
    add(places, groupOf(place), time);
    add(functions, `${callFrame.functionName || '(anonymous)'}  ${place}:${callFrame.lineNumber + 1}`, time);
  }
  const lines = (sums: Map<string, number>) =>
    [...sums]
      .sort(([, a], [, b]) => b - a)
      .slice(0, ROWS)
      .map(([name, time]) => `  ${((time / total) * cpu).toFixed(1).padStart(7)}  ${name}`);
  return ['  CPU µs a request, by place:', ...lines(places), '  by function:', ...lines(functions)].join(
    '\n',
  );
}

/** Waiting, and what the inspector itself does to start and stop the profile. */
function isNoWork({ functionName, url }: { functionName: string; url: string }): boolean {
  return url === '' && ['(idle)', 'dispatch', 'cpuUsage', 'rss'].includes(functionName);
}

/** `src/record/ids/ids.js`, `node_modules/pg/lib/query.js`, `node:net`; empty for what V8 does itself. */
function placeOf(url: string): string {
  const path = url.replace(/^.*\/\.cache\/bench\//, '');
  const packaged = path.lastIndexOf('node_modules/');
  return packaged < 0 ? path : path.slice(packaged);
}

function groupOf(place: string): string {
  if (place.startsWith('node:')) return 'node:*';
  const packaged = /^node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(place);
  return packaged?.[0] ?? place;
}

function add(sums: Map<string, number>, key: string, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}
