import { afterEach, describe, expect, it } from '@jest/globals';
import { times } from '../../test/support/times.js';
import { FairSlots } from './fair-slots.js';
import { INTERNAL_REQUESTER, type Requester } from './requester.js';

const by = (fairnessKey: string): Requester => ({ ...INTERNAL_REQUESTER, fairnessKey });
const made: FairSlots<null>[] = [];
function slotsOf(count: number, maxWaiting = 100): FairSlots<null> {
  const slots = new FairSlots(new Array<null>(count).fill(null), { maxWaiting, timeoutMs: 60_000 });
  made.push(slots);
  return slots;
}
afterEach(() => made.splice(0).forEach((slots) => slots.close()));

/** Tasks that do not end, and the keys of those that were begun, in order. */
function tasksIn(slots: FairSlots<null>) {
  const begun: string[] = [];
  const run = (table: string, key: string) =>
    slots.run(table, by(key), () => {
      begun.push(key);
      return new Promise<void>(() => undefined);
    });
  return { begun, run, start: (table: string, key: string) => void run(table, key).catch(() => undefined) };
}
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('fair slots', () => {
  it('leave one of those of a table to others than the key that has most', async () => {
    for (const count of [4, 6, 16]) {
      const { begun, start } = tasksIn(slotsOf(count));
      times(30, () => start('a', 'many'));
      start('a', 'one');
      await tick();
      expect(begun.at(-1)).toBe('one');
    }
  });

  it('are not all taken by one table, by however many keys', async () => {
    const slots = slotsOf(16);
    const { begun, start } = tasksIn(slots);
    times(30, (i) => start('a', `key ${i}`));
    await tick();
    expect(begun.length).toBe(10);
    start('b', 'other');
    expect(begun.at(-1)).toBe('other');
  });

  it('that are free are given to those who need them even if no more may wait', async () => {
    const slots = slotsOf(16, 20);
    const { begun, run, start } = tasksIn(slots);
    times(30, (i) => start('locked', `key ${i}`));
    await tick();
    expect(slots.load()).toEqual({ underWay: 10, waiting: 20 });
    await expect(run('locked', 'late')).rejects.toMatchObject({ status: 503 });
    start('b', 'other');
    expect(begun.at(-1)).toBe('other');
  });

  it('are held for as long as a task says, and its result is not', async () => {
    const slots = slotsOf(1);
    let free: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (free = resolve));
    const result = await slots.run('', by('a'), (_slot, hold) => {
      hold(until);
      return Promise.resolve('done');
    });
    expect(result).toBe('done');
    expect(slots.load().underWay).toBe(1);
    const next = slots.run('', by('b'), () => Promise.resolve('next'));
    expect(slots.load().waiting).toBe(1);
    free();
    expect(await next).toBe('next');
    expect(slots.load()).toEqual({ underWay: 0, waiting: 0 });
  });
});
