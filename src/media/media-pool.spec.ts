import { expect, it } from '@jest/globals';
import { MediaPool, MOST_WAITING, MOST_WAITING_EACH, PROCESSES } from './media-pool.js';

/** Turns that last until they are told to end; no process is started, as none is given a job. */
function turns(pool: MediaPool) {
  const order: string[] = [];
  const refused: number[] = [];
  let end: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (end = resolve));
  const all: Promise<void>[] = [];
  const ask = (who: string) => {
    const turn = pool.turn(who, () => {
      order.push(who);
      return held;
    });
    all.push(turn.catch((error: { status: number }) => void refused.push(error.status)));
  };
  const settle = async () => {
    end();
    await Promise.all(all);
    return { order, refused };
  };
  return { ask, settle };
}

it('lets nobody keep the others out', async () => {
  const { ask, settle } = turns(new MediaPool());
  for (let i = 0; i < PROCESSES + MOST_WAITING_EACH + 3; i++) ask('greedy');
  ask('modest');
  const { order, refused } = await settle();
  expect(refused).toEqual([429, 429, 429]);
  expect(order).toHaveLength(PROCESSES + MOST_WAITING_EACH + 1);
  expect(order.at(-1)).toBe('modest');
});

it('lets only so many wait in all', async () => {
  const { ask, settle } = turns(new MediaPool());
  for (let i = 0; i < PROCESSES + MOST_WAITING + 2; i++) ask(`user ${i}`);
  const { order, refused } = await settle();
  expect([refused, order.length]).toEqual([[503, 503], PROCESSES + MOST_WAITING]);
});
