import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Requester } from '../../common/requester.js';
import type { Config } from '../../config/config.js';
import { LargePages, type ReadPart } from './large-pages.js';

const MIB = 1024 * 1024;
const pages = () => new LargePages({ statementTimeoutMs: 10_000 } as Config);
const caller = (share: string): Requester => ({
  fairnessKey: share,
  isGone: () => false,
  hasBackpressure: () => false,
});

/** A page that is being made until it is told to end; `made` lists those that have begun. */
function make(pages: LargePages, made: string[], name: string, table: string, most: number, share = 'one') {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = pages.run([{ table, count: 1, maxBytes: most }], caller(share), async (spread) => {
    made.push(name);
    const rows: ReadPart[] = [
      { table, rows: [{ id: '1', createdAt: '', updatedAt: '', text: 'x'.repeat(10) }] },
    ];
    await spread(rows);
    await ended;
  });
  return async () => {
    end();
    await work;
    await nextTick();
    await nextTick();
  };
}

describe('large pages', () => {
  it('let no small page overtake a large one of the same caller that waits for room', async () => {
    const all = pages();
    const made: string[] = [];
    const endFirst = make(all, made, 'small 1', 'notes', 2 * MIB);
    const endLarge = make(all, made, 'large', 'books', 8 * MIB);
    const endSecond = make(all, made, 'small 2', 'notes', 2 * MIB);
    const endOther = make(all, made, 'another caller', 'films', 8 * MIB, 'two');
    await nextTick();
    expect(made).toEqual(['small 1', 'another caller']);
    await endFirst();
    expect(made).toEqual(['small 1', 'another caller', 'large']);
    await endLarge();
    expect(made.at(-1)).toBe('small 2');
    await Promise.all([endSecond(), endOther()]);
  });

  it('let nobody overtake one that waits until all others leave room', async () => {
    const all = pages();
    const made: string[] = [];
    const first = Array.from({ length: 8 }, (_, i) =>
      make(all, made, `${i}`, `t${i}`, 4 * MIB, `caller ${i}`),
    );
    const endLarge = make(all, made, 'large', 'books', 8 * MIB, 'large');
    const endLater = make(all, made, 'later', 'notes', 2 * MIB, 'later');
    await nextTick();
    expect(made).toHaveLength(8);
    await first[0]?.();
    expect(made).toHaveLength(8);
    await first[1]?.();
    expect(made.slice(8)).toEqual(['large']);
    await Promise.all([...first.slice(2).map((end) => end()), endLarge(), endLater()]);
    expect(made.slice(8)).toEqual(['large', 'later']);
  });

  it('count what waits by what has become known of its rows meanwhile', async () => {
    const all = pages();
    const made: string[] = [];
    const endFirst = make(all, made, 'first', 'notes', 8 * MIB);
    const later = ['second', 'third'].map((name) => make(all, made, name, 'notes', 8 * MIB));
    await nextTick();
    expect(made).toEqual(['first']);
    await endFirst();
    expect(made).toEqual(['first', 'second', 'third']);
    await Promise.all(later.map((end) => end()));
  });
});
