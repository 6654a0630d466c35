import { describe, expect, it } from '@jest/globals';
import { FairQueue } from './fair-queue.js';

const left: string[] = [];
const gone = new Set<string>();
const item = (share: string, name: string) => ({
  fairnessKey: share,
  name,
  isGone: () => gone.has(name),
  drop: () => left.push(name),
});
const drain = (queue: FairQueue<ReturnType<typeof item>>): string[] => {
  const names: string[] = [];
  for (let next = queue.shift(() => 'go'); next; next = queue.shift(() => 'go')) names.push(next.name);
  return names;
};

describe('a fair queue', () => {
  it('lets one of each share go in turn, however many one has', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(100);
    for (let i = 0; i < 50; i++) queue.push(item('many', `m${i}`));
    queue.push(item('one', 'o0'));
    queue.push(item('two', 't0'));
    queue.push(item('two', 't1'));
    expect(drain(queue).slice(0, 6)).toEqual(['m0', 'o0', 't0', 'm1', 't1', 'm2']);
    expect(queue.size).toBe(0);
  });

  it('passes over what may not go now, and keeps its place', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(100);
    for (const name of ['a', 'b']) queue.push(item('s', name));
    expect(queue.shift(({ name }) => (name === 'b' ? 'go' : 'wait'))?.name).toBe('b');
    expect(queue.shift(({ name }) => (name === 'b' ? 'go' : 'wait'))).toBeUndefined();
    expect(drain(queue)).toEqual(['a']);
  });

  it('lets nobody of a share overtake the one for whom its share waits, and others go', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(100);
    for (const name of ['large', 'small']) queue.push(item('s', name));
    queue.push(item('other', 'o'));
    const noRoom = ({ name }: { name: string }) => (name === 'large' ? 'key waits' : 'go');
    expect(queue.shift(noRoom)?.name).toBe('o');
    expect(queue.shift(noRoom)).toBeUndefined();
    expect(drain(queue)).toEqual(['large', 'small']);
  });

  it('lets nobody overtake the one for whom all wait', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(100);
    queue.push(item('s', 'large'));
    queue.push(item('other', 'o'));
    expect(queue.shift(({ name }) => (name === 'large' ? 'all wait' : 'go'))).toBeUndefined();
    expect(drain(queue)).toEqual(['large', 'o']);
  });

  it('drops those that are gone, and gives their room to others', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(3);
    for (const name of ['g1', 'g2', 'h']) queue.push(item('s', name));
    gone.add('g1').add('g2');
    expect(queue.push(item('s', 'i'))).toBe(true);
    expect(left.splice(0).sort()).toEqual(['g1', 'g2']);
    expect(drain(queue)).toEqual(['h', 'i']);
  });

  it('when full, takes room from the share that has most, and from nobody for that one', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(4);
    for (const name of ['m1', 'm2', 'm3', 'm4']) queue.push(item('many', name));
    expect(queue.push(item('many', 'm5'))).toBe(false);
    expect(queue.push(item('new', 'n1'))).toBe(true);
    expect(left.splice(0)).toEqual(['m4']);
    expect(queue.size).toBe(4);
    expect(drain(queue)).toEqual(['m1', 'n1', 'm2', 'm3']);
  });

  it('serves keys with a lower rank first, and equal ones round robin', () => {
    const ranks: Record<string, number> = { much: 2, none: 0, little: 1, also: 1 };
    const queue = new FairQueue<ReturnType<typeof item>>(100, (key) => ranks[key] ?? 0);
    for (const key of ['much', 'little', 'also', 'none'])
      for (const n of [1, 2]) queue.push(item(key, `${key} ${n}`));
    const order = ['none 1', 'none 2', 'little 1', 'also 1', 'little 2', 'also 2', 'much 1', 'much 2'];
    expect(drain(queue)).toEqual(order);
  });

  it('forgets what is taken out', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(4);
    const waiting = item('s', 'a');
    queue.push(waiting);
    queue.remove(waiting);
    queue.remove(waiting);
    expect(queue.size).toBe(0);
    expect(drain(queue)).toEqual([]);
  });
});
