import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { Answer } from '../support/client.js';
import { type Fixture, resetFixture } from '../support/fixture.js';
import { times } from '../support/times.js';
import { startTestService, type TestService } from '../support/service.js';

/* Writes take turns by caller: one that sends more than the service can store does not keep others from writing. */

/** More than there are connections for transactions, and places to wait for one. */
const MANY = 600;

let service: TestService;
let people: Fixture;
let holder: Client;
beforeAll(async () => {
  service = await startTestService({ env: { MAX_CONNECTIONS_PER_ADDRESS: '2000' } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  people = await resetFixture(service);
  holder = new Client({ connectionString: service.databaseUrl });
  await holder.connect();
  await holder.query('BEGIN');
});

/**
 * Sends many writes of one user that wait for the row lock of that user, and then `write`. Returns its answer, and how many
 * of the others have been carried out by then.
 */
async function besideMany(
  flood: (i: number) => Promise<Answer>,
  write: () => Promise<Answer>,
): Promise<{ answer: Answer; stored: number }> {
  const { id } =
    (await service.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'owner_u'`))[0] ?? {};
  await holder.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [id]);
  let stored = 0;
  const running = times(MANY, (i) => flood(i).then(({ status }) => void (stored += status < 300 ? 1 : 0)));
  try {
    // The queue is full when the first of them is refused.
    await Promise.race(running);
    const answer = await write();
    return { answer, stored };
  } finally {
    await holder.end();
    await Promise.allSettled(running);
  }
}

describe('beside a caller that sends more writes than can wait', () => {
  it.each<[string, () => Promise<Answer>]>([
    [
      'changes of the same table',
      () => people.other.call.put(`/users/${people.other.id}`, { realName: 'Otto' }),
    ],
    ['creates in another table', () => people.other.call.post('/apikeys', { name: 'mine' })],
    ['deletions', () => people.other.call.delete(`/users/${people.other.id}`)],
  ])('%s of others are stored', async (_name, write) => {
    const { owner } = people;
    const { answer, stored } = await besideMany(
      (i) => owner.call.put(`/users/${owner.id}`, { realName: `n${i}` }),
      write,
    );
    expect(answer.status).toBeLessThan(300);
    expect(stored).toBe(0);
  });

  it('creates in the same table are stored', async () => {
    const { owner, other } = people;
    const { answer, stored } = await besideMany(
      (i) => owner.call.post('/apikeys', { name: `k${i}` }),
      () => other.call.post('/apikeys', { name: 'mine' }),
    );
    expect(answer.status).toBe(201);
    expect(stored).toBe(0);
  });
});
