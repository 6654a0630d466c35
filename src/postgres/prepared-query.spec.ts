import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createDatabase } from '../../test/support/database.js';
import { codeOf } from '../common/error-code.js';
import { rowsOf } from './prepared-query.js';
import { withRetries } from './retry.js';
import type { ResultRow } from './statement.js';

let database: Awaited<ReturnType<typeof createDatabase>>;
let client: Client;
beforeAll(async () => {
  database = await createDatabase('plain');
});
afterAll(() => database.drop());
beforeEach(async () => {
  client = new Client({ connectionString: database.url, pipeline: true });
  await client.connect();
  await client.query('DROP TABLE IF EXISTS samples');
});
afterEach(() => client.end());

const NAMED = { name: 'all', text: 'SELECT a, b FROM samples WHERE a > $1 ORDER BY a', values: [0] };
const make = () =>
  client.query(`CREATE TABLE samples (a int, b varchar(9)); INSERT INTO samples VALUES (1, 'x'), (2, NULL)`);
const ROWS: ResultRow[] = [
  { a: '1', b: 'x' },
  { a: '2', b: null },
];
/** That many at once, on one connection: rows, or the code of an error. */
const asked = (count: number) =>
  Promise.all(Array.from({ length: count }, () => withRetries(() => rowsOf(client, NAMED)).catch(codeOf)));
const times = (count: number, what: unknown) => Array.from({ length: count }, () => what);

it('answers the rows, described or not', async () => {
  await make();
  expect(await asked(20)).toEqual(times(20, ROWS));
  expect(await asked(20)).toEqual(times(20, ROWS));
  await client.query('DELETE FROM samples');
  expect(await asked(2)).toEqual([[], []]);
});

it('goes on when the columns change under statements that are under way', async () => {
  await make();
  expect(await asked(1)).toEqual([ROWS]);
  const before = asked(10);
  const change = client.query(
    `ALTER TABLE samples ALTER a TYPE text USING 'n' || a, ALTER b TYPE boolean USING b = 'x'`,
  );
  const text = {
    ...NAMED,
    name: 'texts',
    text: 'SELECT a, b FROM samples WHERE a > $1 ORDER BY a',
    values: ['n'],
  };
  const after = Array.from({ length: 10 }, () => withRetries(() => rowsOf(client, text)));
  const now = [
    { a: 'n1', b: true },
    { a: 'n2', b: null },
  ];
  expect(await before).toEqual(times(10, ROWS));
  await change;
  expect(await Promise.all(after)).toEqual(times(10, now));
  await client.query(`ALTER TABLE samples ALTER b TYPE text USING 'y'`);
  const again = Array.from({ length: 10 }, () => withRetries(() => rowsOf(client, text)));
  expect(await Promise.all(again)).toEqual(
    times(
      10,
      now.map(({ a }) => ({ a, b: 'y' })),
    ),
  );
});

it('prepares again what the connection has lost', async () => {
  await make();
  expect(await asked(3)).toEqual(times(3, ROWS));
  const lost = client.query('DEALLOCATE ALL');
  expect(await asked(10)).toEqual(times(10, ROWS));
  await lost;
  expect(await asked(3)).toEqual(times(3, ROWS));
});

it('fails for what it is while a statement can’t be prepared, and works from then on', async () => {
  expect(new Set(await asked(10))).toEqual(new Set(['42P01']));
  await make();
  expect(await asked(10)).toEqual(times(10, ROWS));
});

it('fails when a row can’t be read, and not before all of its rows are past', async () => {
  const odd = { name: 'odd', text: `SELECT '[1]'::json AS a UNION ALL SELECT $1`, values: ['{}'] };
  expect(await rowsOf(client, odd)).toEqual([{ a: [1] }, { a: {} }]);
  await client.query(`SET TIME ZONE 'Europe/Berlin'`);
  const local = { name: 'local', text: 'SELECT now() AS at FROM generate_series(1, $1)', values: [3] };
  await expect(rowsOf(client, local)).rejects.toThrow('not in UTC');
  await expect(rowsOf(client, local)).rejects.toThrow('not in UTC');
  expect(await rowsOf(client, odd)).toHaveLength(2);
});
