import type { FastifyBaseLogger } from 'fastify';
import { isError } from '../common/is-error.js';

/** The time window of the limit, in milliseconds. */
const WINDOW_MS = 10_000;
const MAX_IN_WINDOW = 5;
/** How many different errors are tracked at a time. All others count as one. */
const MAX_SORTS = 200;

interface Sort {
  count: number;
}

/**
 * Logs errors with their stacks, but limits repeated ones, such as those of each request during an outage. After the first
 * {@link MAX_IN_WINDOW} in ten seconds they are only counted, and the count is logged as a line of its own.
 */
export class RepeatedErrors {
  private readonly sorts = new Map<string, Sort>();

  constructor(
    private readonly log: Pick<FastifyBaseLogger, 'error'>,
    private readonly windowMs = WINDOW_MS,
  ) {}

  /** @param log of the request, which adds its id */
  write(log: Pick<FastifyBaseLogger, 'error'>, err: Error, status: number): void {
    const sort = this.sortOf(err, status);
    sort.count++;
    if (sort.count <= MAX_IN_WINDOW) log.error({ err, status }, 'request failed');
  }

  private sortOf(err: Error, status: number): Sort {
    const found = this.sorts.get(nameOf(err, status));
    if (found) return found;
    const name = this.sorts.size < MAX_SORTS ? nameOf(err, status) : 'other';
    const known = this.sorts.get(name);
    if (known) return known;
    const sort = { count: 0 };
    this.sorts.set(name, sort);
    setTimeout(() => {
      this.sorts.delete(name);
      const more = sort.count - MAX_IN_WINDOW;
      if (more > 0) this.log.error({ error: name, status, more }, 'more requests failed in the same way');
    }, this.windowMs).unref();
    return sort;
  }
}

/** Identifies an error by what all requests have in common: names, codes and the place where it was created. */
function nameOf(err: Error, status: number): string {
  const parts: string[] = [String(status)];
  let current: unknown = err;
  for (let depth = 0; depth < 4 && isError(current); depth++) {
    const code = 'code' in current ? String(current.code) : '';
    parts.push(`${current.name} ${code}`.trim());
    if (!('driverError' in current) && current.cause === undefined && code === '') {
      const frames = (current.stack ?? '').split('\n').map((line) => line.trim());
      parts.push(frames.find((line) => line.startsWith('at ')) ?? '');
    }
    current = 'driverError' in current ? current.driverError : current.cause;
  }
  return parts.join(' < ');
}
