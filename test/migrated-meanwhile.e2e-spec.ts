import { expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { Json } from './support/client.js';
import { people, service, useKindsService } from './support/kinds-service.js';

/*
 * An instance that runs while another one migrates: its connections have prepared statements that PostgreSQL refuses
 * from then on.
 */

useKindsService();

const MAX = 24;
const many = <T>(work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: MAX }, (_, i) => work(i)));

/** Everything at once that reads and writes things: what it answers, without what differs from time to time. */
async function everything(): Promise<unknown> {
  const { call } = people.owner;
  const made = await many((i) => call.post('/dummythings', { name: `thing ${i}` }));
  const ids = made.map(({ body }) => String((body.props as Json | undefined)?.id));
  const changed = await many((i) => call.put(`/dummythings/${ids[i] ?? ''}`, { name: `changed ${i}` }));
  const read = await many((i) => call.get(`/dummythings/${ids[i] ?? ''}?includeRelated=user`));
  const lists = ['', '?search=changed', '?page=2&sortBy=name', '?name=changed 3'];
  const listed = await Promise.all(lists.map((query) => call.get(`/dummythings${query}`)));
  const who = await many(() => call.get('/users/whoami'));
  const deleted = await many((i) => call.delete(`/dummythings/${ids[i] ?? ''}`));
  return {
    statuses: [made, changed, read, who, deleted].map((all) => [...new Set(all.map(({ status }) => status))]),
    names: read.map(({ body }): unknown => (body.props as Json | undefined)?.name),
    totals: listed.map(({ status, body }): unknown[] => [
      status,
      (body.paging as Json | undefined)?.totalItems,
    ]),
  };
}

/** The code with which PostgreSQL refuses what was prepared before each of these changes. */
async function refusal(table: string, change: () => Promise<unknown>): Promise<unknown> {
  const client = new Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    const statement = { name: 'all', text: `SELECT * FROM ${table}` };
    await client.query(statement);
    await change();
    return await client.query(statement).then(
      () => null,
      (error: unknown) => (error as { code: string }).code,
    );
  } finally {
    await client.end();
  }
}

it.each([
  ['longer texts', 'dummythings', 'ALTER TABLE dummythings ALTER url TYPE varchar(1000)'],
  ['another type', 'dummythings', 'ALTER TABLE dummythings ALTER url TYPE text'],
  [
    'another type of what a session look-up reads',
    'sessions',
    'ALTER TABLE sessions ALTER "tokenHash" TYPE text',
  ],
  [
    'another type of what other records name',
    'users',
    'ALTER TABLE users ALTER "useAsDisplayName" TYPE text',
  ],
])('goes on as before with %s', async (_name, table, migration) => {
  const before = await everything();
  expect(before).toMatchObject({
    statuses: [[201], [200], [200], [200], [200]],
    totals: [
      [200, MAX],
      [200, MAX],
      [200, MAX],
      [200, 1],
    ],
  });
  expect(await refusal(table, () => service.sql(migration))).toBe('0A000');
  expect(await everything()).toEqual(before);
  expect(service.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
