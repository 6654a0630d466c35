import { describe, expect, it } from '@jest/globals';
import { type UnparsedBody, UnparsedBodies } from './unparsed-bodies.js';

function setUp(maxBytes: number) {
  const bodies = new UnparsedBodies(maxBytes);
  const evicted: string[] = [];
  const body = (name: string): UnparsedBody => ({
    fairnessKey: name.charAt(0),
    evict: () => void evicted.push(name),
  });
  return { bodies, evicted, body };
}

describe('UnparsedBodies', () => {
  it('evicts the key with the most bytes, and of its bodies the one without progress for the longest time', () => {
    const { bodies, evicted, body } = setUp(100);
    const [a1, a2, b1] = [body('a1'), body('a2'), body('b1')];
    bodies.set(b1, 40);
    bodies.set(a1, 20);
    bodies.set(a2, 25);
    bodies.set(a1, 30);
    expect({ evicted, bytes: bodies.bytes }).toEqual({ evicted: [], bytes: 95 });
    bodies.set(b1, 46);
    expect({ evicted, bytes: bodies.bytes }).toEqual({ evicted: ['a2'], bytes: 76 });
  });

  it('evicts as many as it must, also the newest one', () => {
    const { bodies, evicted, body } = setUp(100);
    bodies.set(body('a1'), 60);
    bodies.set(body('b1'), 35);
    bodies.set(body('c1'), 101);
    expect({ evicted, bytes: bodies.bytes }).toEqual({ evicted: ['c1'], bytes: 95 });
    bodies.set(body('b2'), 90);
    expect({ evicted, bytes: bodies.bytes }).toEqual({ evicted: ['c1', 'b1', 'b2'], bytes: 60 });
  });

  it('forgets removed bodies, and only those', () => {
    const { bodies, evicted, body } = setUp(100);
    const a1 = body('a1');
    bodies.set(a1, 60);
    bodies.remove(a1);
    bodies.remove(a1);
    bodies.remove(body('a2'));
    expect(bodies.bytes).toBe(0);
    bodies.set(body('a3'), 100);
    expect(evicted).toEqual([]);
  });
});
