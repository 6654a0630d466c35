import { describe, expect, it } from '@jest/globals';
import { INTERNAL_REQUESTER, type Requester } from '../../common/requester.js';
import { SharedWrites } from './shared-writes.js';

const by = (fairnessKey: string): Requester => ({ ...INTERNAL_REQUESTER, fairnessKey });

/** The statements, as requester and writes, of four writes of two requesters. */
async function statementsOf(isFree: boolean): Promise<[string, readonly string[]][]> {
  const sent: [string, readonly string[]][] = [];
  const writes = new SharedWrites<string, string>(
    () => '',
    (all, { fairnessKey }) => {
      sent.push([fairnessKey, all]);
      return Promise.resolve(all);
    },
    () => isFree,
  );
  const asked = ['a1', 'b1', 'a2', 'b2'];
  const results = await Promise.all(asked.map((write) => writes.write(write, by(write.slice(0, 1)))));
  expect(results).toEqual(asked);
  return sent;
}

describe('writes of one moment', () => {
  it('share a statement that is sent at once', async () => {
    expect(await statementsOf(true)).toEqual([['a', ['a1', 'b1', 'a2', 'b2']]]);
  });

  it('share it with their own requester alone if they have to wait: each has a turn of its own', async () => {
    expect(await statementsOf(false)).toEqual([
      ['a', ['a1', 'a2']],
      ['b', ['b1', 'b2']],
    ]);
  });
});
