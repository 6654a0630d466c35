import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Logger } from 'pino';
import { Background } from '../../config/background.js';
import type { Database } from '../../postgres/database.js';
import type { DedicatedConnections } from '../../postgres/dedicated-connection.js';
import type { ResultRow, Statement } from '../../postgres/statement.js';
import { TotalsMaintainer } from './totals-maintainer.js';
import { Kind } from '../schema/kind.js';
import { RecordEntity } from '../record.entity.js';

class Brick extends RecordEntity {}
Kind({ kind: 'Brick', path: 'bricks', owner: ['admin'], view: ['public'], create: [] })(Brick);

const HOUR = 3600 * 1000;

/** What runs again and again → milliseconds between. */
const timers = new Map<() => void, number>();

beforeEach(() => {
  timers.clear();
  jest.spyOn(globalThis, 'setInterval').mockImplementation(((work: () => void, ms: number) => {
    timers.set(work, ms);
    return { unref: () => work };
  }) as unknown as typeof setInterval);
  jest.spyOn(globalThis, 'clearInterval').mockImplementation((timer) => {
    timers.delete(timer as unknown as () => void);
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Lets everything happen that is to happen every so many milliseconds. */
async function fire(every: number): Promise<void> {
  for (const [work, ms] of timers) if (ms === every) work();
  await new Promise((done) => setImmediate(done)); // nothing here waits for more than promises
}

/** A maintainer that has started, and the statements that it sends; whether they succeed. */
function started(background: boolean) {
  const sent: Statement[] = [];
  const state = { fails: false, open: 0, warnings: 0 };
  const send = (statement: Statement): Promise<ResultRow[]> => {
    sent.push(statement);
    return state.fails ? Promise.reject(new Error('away')) : Promise.resolve([{ missing: '0' }]);
  };
  const connection = () => {
    state.open++;
    return { query: send, close: () => Promise.resolve(void state.open--) };
  };
  const maintainer = new TotalsMaintainer(
    { write: send } as unknown as Database,
    { make: connection } as unknown as DedicatedConnections,
    { warn: () => state.warnings++ } as unknown as Logger,
    new Background(background),
  );
  maintainer.onApplicationBootstrap();
  const verified = () => sent.filter(({ text }) => text.includes('record_counts_verify'));
  const gathered = () => sent.filter(({ text }) => text.includes('record_counts_gather'));
  return { maintainer, state, verified, gathered };
}

describe('a service that runs', () => {
  it('counts the rows of every kind once a day, also after a day on which it failed', async () => {
    const { maintainer, state, verified } = started(true);
    await fire(24 * HOUR);
    expect(verified().map(({ values }) => values)).toEqual([['bricks']]);
    state.fails = true;
    await fire(24 * HOUR);
    expect([verified().length, state.open, state.warnings]).toEqual([2, 0, 1]);
    state.fails = false;
    await fire(24 * HOUR);
    expect([verified().length, state.warnings]).toEqual([3, 1]);
    await maintainer.onApplicationShutdown();
    expect(timers.size).toBe(0);
  });

  it('adds up counters every minute', async () => {
    const { gathered, verified } = started(true);
    await fire(60_000);
    expect([gathered().length, verified().length]).toEqual([1, 0]);
  });
});

it('a command, which is no service, does neither', () => {
  started(false);
  expect(timers.size).toBe(0);
});
