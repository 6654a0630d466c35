import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ParseQueue, type WaitingBody } from './parse-queue.js';

function setUp() {
  const queue = new ParseQueue();
  const log: string[] = [];
  const body = (name: string, isGone = false): WaitingBody => ({
    fairnessKey: name.charAt(0),
    isGone: () => isGone,
    drop: () => void log.push(`${name} dropped`),
    parse: () => void log.push(name),
  });
  /** Until so many entries are in the log; what else the process does goes on meanwhile. */
  const logged = async (count: number) => {
    while (log.length < count) await nextTurn();
    return log;
  };
  return { queue, log, body, logged };
}

describe('ParseQueue', () => {
  it('parses the first body at once, and the others one by one, round robin by key', async () => {
    const { queue, log, body, logged } = setUp();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) queue.add(body(name));
    expect(log).toEqual(['a1']);
    expect(await logged(5)).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('lets everything else go on between two bodies', async () => {
    const { queue, log, body } = setUp();
    for (const name of ['a1', 'a2', 'a3']) queue.add(body(name));
    const seen = new Set<number>();
    while (log.length < 3) {
      seen.add(log.length);
      await nextTurn();
    }
    expect([...seen]).toEqual([1, 2]);
  });

  it('skips bodies whose clients have left, and those that were removed', async () => {
    const { queue, body, logged } = setUp();
    const removed = body('a2');
    for (const next of [body('a1'), removed, body('a3', true), body('a4')]) queue.add(next);
    queue.remove(removed);
    expect(await logged(3)).toEqual(['a1', 'a3 dropped', 'a4']);
  });

  it('goes on after one that fails', async () => {
    const { queue, body, logged } = setUp();
    const failing = {
      ...body('a1'),
      parse: () => {
        throw new Error('broken');
      },
    };
    expect(() => queue.add(failing)).toThrow('broken');
    queue.add(body('a2'));
    expect(await logged(1)).toEqual(['a2']);
  });
});
