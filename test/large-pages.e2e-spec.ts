import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorOf, itemsOf } from './support/answers.js';
import { TEST_KINDS } from './kinds/kinds.js';
import { type Fixture, resetFixture } from './support/fixture.js';
import { startTestService, type TestService } from './support/service.js';

/*
 * Pages of large records: how large one may be, and clients that do not read what they are sent.
 */

const PAGE_BYTES = 8 * 1024 * 1024;
let service: TestService;
let people: Fixture;

beforeAll(async () => {
  service = await startTestService({
    kinds: TEST_KINDS,
    template: 'kinds',
    env: { MAX_PAGE_BYTES: String(PAGE_BYTES) },
    limits: { responseWindow: 3000 },
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  people = await resetFixture(service);
});

/** Records of the owner with `bytes` each, in characters of three bytes. */
const fill = (count: number, bytes: number) =>
  service.sql(
    `INSERT INTO dummythings (name, note, "userId")
     SELECT 'thing ' || i, repeat('€', $2::int / 3), (SELECT id FROM users WHERE username = 'owner_u') FROM generate_series(1, $1::int) i`,
    [count, bytes],
  );

describe('a page of a list', () => {
  const LISTS = [
    '/dummythings?itemsPerPage=100',
    '/dummythings?itemsPerPage=100&sortBy=name',
    '/dummythings?itemsPerPage=100&search=thing',
    '/dummythings?itemsPerPage=100&_start_createdAt=2000-01-01T00:00:00.000Z',
  ];

  it('of more bytes than MAX_PAGE_BYTES is 442, and nothing of it is told', async () => {
    await fill(60, 150_000);
    for (const path of LISTS) {
      const answer = await people.owner.call.get(path);
      expect([path, answer.status]).toEqual([path, 422]);
      expect(errorOf(answer)).toEqual({
        code: 442,
        message: expect.stringContaining(String(PAGE_BYTES)),
        data: 'itemsPerPage',
      });
      expect(answer.text).not.toContain('€');
      const fewer = await people.owner.call.get(path.replace('=100', '=50'));
      expect([path, fewer.status, itemsOf(fewer).length]).toEqual([path, 200, 50]);
    }
  });
});

describe('a client that does not read its answers', () => {
  const asked = (times: number): string =>
    `GET /api/v1/dummythings?itemsPerPage=50 HTTP/1.1\r\nhost: x\r\ncookie: appSessionId=${people.owner.sessionId}\r\n\r\n`.repeat(
      times,
    );
  const open = (): Socket =>
    connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => undefined);
  const cut = () => service.log.filter((line) => line.includes('its answers are not read'));

  it('loses its connection, and one that reads slowly does not', async () => {
    await fill(50, 150_000);
    const [idle, slow] = [open(), open()];
    try {
      idle.pause().write(asked(20));
      let bytes = 0;
      slow.on('data', (chunk) => {
        bytes += chunk.length;
        slow.pause();
        setTimeout(() => slow.resume(), 5);
      });
      slow.write(asked(1));
      const whole = 50 * 150_000;
      for (const end = Date.now() + 60_000; cut().length === 0 || bytes < whole; await sleep(50))
        if (Date.now() > end) throw new Error(`${cut().length} cut, ${bytes} bytes read`);
      expect(cut()).toHaveLength(1);
      const closed = once(idle, 'close');
      idle.resume();
      await closed;
      expect((await people.other.call.get('/dummythings?itemsPerPage=1')).status).toBe(200);
    } finally {
      idle.destroy();
      slow.destroy();
    }
  });
});
