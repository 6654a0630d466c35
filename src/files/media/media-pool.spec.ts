import { expect, it } from '@jest/globals';
import { MediaPool, MAX_RUNNING_EACH, MAX_WAITING, MAX_WAITING_EACH, PROCESSES } from './media-pool.js';

/** Turns that last until they are told to end; none is given a job. */
function slots(pool: MediaPool) {
  const order: string[] = [];
  const denied: number[] = [];
  let end: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (end = resolve));
  const all: Promise<void>[] = [];
  const ask = (who: string, times = 1) => {
    for (let i = 0; i < times; i++) {
      const slot = pool.acquire(who).then(async ({ release }) => {
        order.push(who);
        await held;
        release();
      });
      all.push(slot.catch((error: { status: number }) => void denied.push(error.status)));
    }
  };
  const settle = async () => {
    end();
    await Promise.all(all);
    pool.onApplicationShutdown();
    return { order, denied };
  };
  return { ask, settle };
}

it('users take turns, however many files one of them has waiting', async () => {
  const { ask, settle } = slots(new MediaPool());
  ask('greedy', MAX_RUNNING_EACH + MAX_WAITING_EACH + 3);
  ask('modest', 2);
  ask('other');
  const { order, denied } = await settle();
  expect(denied).toEqual([429, 429, 429]);
  expect(order).toHaveLength(MAX_RUNNING_EACH + MAX_WAITING_EACH + 3);
  // One of the greedy user's may come before each of theirs, but no more.
  const later = order.slice(MAX_RUNNING_EACH);
  expect(later.slice(0, 3)).toEqual(expect.arrayContaining(['modest', 'other']));
  expect(later.slice(0, 5).filter((who) => who === 'modest')).toHaveLength(2);
});

it('lets only so many wait in all', async () => {
  const { ask, settle } = slots(new MediaPool());
  for (let i = 0; i < PROCESSES + MAX_WAITING + 2; i++) ask(`user ${i}`);
  const { order, denied } = await settle();
  expect([denied, order.length]).toEqual([[503, 503], PROCESSES + MAX_WAITING]);
});

it('lets a user who has less waiting in when the queue is full: the one with the most gives way', async () => {
  const pool = new MediaPool();
  const { ask, settle } = slots(pool);
  for (let i = 0; i < PROCESSES; i++) ask(`holder ${i}`);
  const greedy = Math.ceil(MAX_WAITING / MAX_WAITING_EACH);
  for (let i = 0; i < greedy; i++) ask(`greedy ${i}`, MAX_WAITING_EACH);
  expect(pool.load().waiting).toBe(MAX_WAITING);
  ask('modest', 2);
  expect(pool.load().waiting).toBe(MAX_WAITING);
  const { order, denied } = await settle();
  // What was beyond the queue, and what two of the greedy users have given up.
  expect(denied).toEqual(Array.from({ length: greedy * MAX_WAITING_EACH - MAX_WAITING + 2 }, () => 503));
  expect(order.filter((who) => who === 'modest')).toHaveLength(2);
  expect(order.indexOf('modest')).toBeLessThanOrEqual(2 * PROCESSES + greedy);
});

it('a user who comes later goes before those who have used the processes', async () => {
  const pool = new MediaPool();
  const order: string[] = [];
  const use = async (who: string) => {
    const { release } = await pool.acquire(who);
    order.push(who);
    // Some time passes, however short.
    await new Promise((resolve) => setImmediate(resolve));
    release();
  };
  const greedy = Array.from({ length: 10 }, (_, i) => [1, 2, 3].map(() => use(`greedy ${i}`))).flat();
  while (new Set(order).size < 10) await new Promise((resolve) => setImmediate(resolve));
  const before = order.length;
  await use('late');
  expect(order.indexOf('late')).toBeLessThanOrEqual(before + PROCESSES);
  await Promise.all(greedy);
  pool.onApplicationShutdown();
});
