import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { LinkedKind } from '../src/record/schema/kind-graph.js';
import { TEST_KINDS } from './kinds/kinds.js';
import type { Json } from './support/client.js';
import type { Actor } from './support/reference-model.js';
import { quick } from './support/quick.js';
import { startSetup } from './support/setup.js';

const {
  service,
  seeder,
  actors: actors,
} = await startSetup({ kinds: TEST_KINDS, template: 'kinds' }, () => Promise.resolve());
const { owner, other, anonymous, admin } = actors;
const things = seeder.graph.get('DummyThing');
const invoices = seeder.graph.get('DummyInvoice');

afterAll(() => service.stop());
beforeEach(() =>
  service.sql('TRUNCATE dummythings, dummyinvoices, dummylineitems, dummyremarks, dummytopics CASCADE'),
);

interface Page {
  readonly paging: Json;
  readonly ids: string[];
}

async function page(actor: Actor, path: string): Promise<Page> {
  const { status, text, body } = await actor.call.get(path);
  if (status !== 200) throw new Error(`GET ${path}: ${text}`);
  return {
    paging: body.paging as Json,
    ids: (body.items as Json[]).map((item) => String((item.props as Json).id)),
  };
}

/** `n` rows of `who`, all made in the same millisecond; answers their ids in the order of their integers. */
async function rows(kind: LinkedKind, n: number, who: Actor, values = "'same'"): Promise<string[]> {
  const name = kind === things ? 'name' : 'title';
  const made = await service.sql<{ id: string }>(
    `INSERT INTO "${kind.path}" ("${name}", "userId", "createdAt") SELECT ${values}, $1, '2026-01-01T00:00:00Z'
     FROM generate_series(1, $2) AS i RETURNING id`,
    [seeder.rowId(seeder.graph.userKind, String(who.id)), n],
  );
  return made.map(({ id }) => seeder.publicId(kind, id));
}

describe('page arithmetic', () => {
  const N = 5;
  // rows, page → items, totalPages, next, previous
  it.each([
    { n: 0, page: 1, items: 0, pages: 0, next: 1, previous: 1 },
    { n: 0, page: 2, items: 0, pages: 0, next: 1, previous: 1 },
    { n: 1, page: 1, items: 1, pages: 1, next: 1, previous: 1 },
    { n: N - 1, page: 1, items: 4, pages: 1, next: 1, previous: 1 },
    { n: N, page: 1, items: 5, pages: 1, next: 1, previous: 1 },
    { n: N, page: 2, items: 0, pages: 1, next: 1, previous: 1 },
    { n: N + 1, page: 1, items: 5, pages: 2, next: 2, previous: 1 },
    { n: N + 1, page: 2, items: 1, pages: 2, next: 2, previous: 1 },
    { n: N + 1, page: 3, items: 0, pages: 2, next: 2, previous: 2 },
    { n: 2 * N, page: 1, items: 5, pages: 2, next: 2, previous: 1 },
    { n: 2 * N, page: 2, items: 5, pages: 2, next: 2, previous: 1 },
    { n: 2 * N, page: 3, items: 0, pages: 2, next: 2, previous: 2 },
    { n: 2 * N, page: 1000000, items: 0, pages: 2, next: 2, previous: 999999 },
  ])('$n rows, page $page of five each', async ({ n, page: number, items, pages, next, previous }) => {
    const all = await rows(things, n, owner);
    const { paging, ids } = await page(anonymous, `/dummythings?itemsPerPage=${N}&page=${number}`);
    expect(paging).toEqual({
      page: number,
      nextPage: next,
      previousPage: previous,
      itemsPerPage: N,
      totalItems: n,
      totalPages: pages,
    });
    expect(ids).toEqual(all.slice((number - 1) * N, number * N));
    expect(ids).toHaveLength(items);
  });

  it('has ten items on the first page unless asked otherwise, and up to a hundred', async () => {
    const all = await rows(things, 101, owner);
    const first = await page(anonymous, '/dummythings');
    expect(first.paging).toMatchObject({
      page: 1,
      itemsPerPage: 10,
      totalItems: 101,
      totalPages: 11,
      nextPage: 2,
    });
    expect(first.ids).toEqual(all.slice(0, 10));
    expect((await page(anonymous, '/dummythings?itemsPerPage=100')).ids).toEqual(all.slice(0, 100));
    expect((await page(anonymous, '/dummythings?itemsPerPage=100&page=2')).ids).toEqual(all.slice(100));
    expect((await page(anonymous, '/dummythings?itemsPerPage=1&page=101')).ids).toEqual(all.slice(100));
  });
});

describe('maxItems', () => {
  it.each([
    { max: 1, totals: [1, 1], pages: [1, 0, 0] },
    { max: 4, totals: [4, 1], pages: [4, 0, 0] },
    { max: 5, totals: [5, 1], pages: [5, 0, 0] },
    { max: 6, totals: [6, 2], pages: [5, 1, 0] },
    { max: 10, totals: [10, 2], pages: [5, 5, 0] },
    { max: 11, totals: [11, 3], pages: [5, 5, 1] },
    { max: 12, totals: [12, 3], pages: [5, 5, 2] },
    { max: 13, totals: [12, 3], pages: [5, 5, 2] },
    { max: 100_000_000_000, totals: [12, 3], pages: [5, 5, 2] },
  ])('of $max ends a list of twelve there', async ({ max, totals, pages }) => {
    const all = await rows(things, 12, owner);
    for (const [i, count] of pages.entries()) {
      const { paging, ids } = await page(
        anonymous,
        `/dummythings?itemsPerPage=5&page=${i + 1}&maxItems=${max}`,
      );
      expect([paging.totalItems, paging.totalPages]).toEqual(totals);
      expect(ids).toEqual(all.slice(i * 5, i * 5 + count));
      expect(paging.nextPage).toBe(Math.min(i + 2, totals[1] ?? 0));
    }
  });

  it('takes the first ones of the order asked for', async () => {
    const all = await rows(things, 8, owner, `'name ' || i`);
    const { ids, paging } = await page(anonymous, '/dummythings?sortBy=name&sortOrder=desc&maxItems=3');
    expect(ids).toEqual(all.slice(5).reverse());
    expect(paging.totalItems).toBe(3);
  });
});

describe('rows that the caller may not see', () => {
  it('are not counted, and leave no gaps', async () => {
    const mine: string[] = [];
    const theirs: string[] = [];
    for (let i = 0; i < 4; i++) {
      theirs.push(...(await rows(invoices, 3, other)));
      mine.push(...(await rows(invoices, 3, owner)));
    }
    const seen: string[] = [];
    for (let number = 1; number <= 3; number++) {
      const { paging, ids } = await page(owner, `/dummyinvoices?itemsPerPage=5&page=${number}`);
      expect([paging.totalItems, paging.totalPages]).toEqual([12, 3]);
      expect(ids).toHaveLength(number < 3 ? 5 : 2);
      seen.push(...ids);
    }
    expect(seen).toEqual(mine);
    expect(seen.filter((id) => theirs.includes(id))).toEqual([]);
    expect((await page(owner, '/dummyinvoices?itemsPerPage=5&page=4')).ids).toEqual([]);
    expect((await page(owner, '/dummyinvoices?maxItems=7')).paging.totalItems).toBe(7);
    expect((await page(owner, '/dummyinvoices?search=same')).paging.totalItems).toBe(12);
    expect((await page(admin, '/dummyinvoices')).paging.totalItems).toBe(24);
  });

  it('are not counted in the lists of a parent', async () => {
    const [invoice = ''] = await rows(invoices, 1, owner);
    const id = seeder.rowId(invoices, invoice);
    const [item] = await service.sql<{ id: string }>(
      `INSERT INTO dummylineitems (label, "invoiceId") VALUES ('a', $1) RETURNING id`,
      [id],
    );
    await service.sql(`INSERT INTO dummylineitems (label) SELECT 'loose' FROM generate_series(1, 7)`);
    await service.sql(
      `INSERT INTO dummyremarks (text, "lineItemId") SELECT 'r' || i, $1 FROM generate_series(1, 7) AS i`,
      [item?.id],
    );
    const path = `/dummylineitems/${seeder.publicId(seeder.graph.get('DummyLineItem'), item?.id ?? '')}/remarks`;
    const seen = await page(owner, `${path}?itemsPerPage=3&page=3`);
    expect(seen.paging).toMatchObject({
      totalItems: 7,
      totalPages: 3,
      page: 3,
      nextPage: 3,
      previousPage: 2,
    });
    expect(seen.ids).toHaveLength(1);
    expect((await page(other, path)).paging).toMatchObject({ totalItems: 0, totalPages: 0, nextPage: 1 });
    expect((await page(owner, `/dummyinvoices/${invoice}/lineitems`)).paging.totalItems).toBe(1);
    expect((await page(anonymous, '/dummylineitems')).paging.totalItems).toBe(8);
  });
});

describe('pages of one list', () => {
  const COUNT = 57;
  const SIZE = 4;

  it.each([
    'sortBy=createdAt',
    'sortBy=createdAt&sortOrder=desc',
    'sortBy=name',
    'sortBy=name&sortOrder=desc',
    'sortBy=amount',
    'sortBy=amount&sortOrder=desc',
    'sortBy=buddyId',
    'sortBy=secret&sortOrder=desc',
    'sortBy=id&sortOrder=desc',
  ])('neither overlap nor leave gaps with equal keys: %s', async (order) => {
    // Half of the rows with the same few names and amounts, in no order, some without.
    const all = new Set<string>();
    const values = `CASE WHEN i % 5 = 0 THEN NULL ELSE 'name ' || (i * 7) % 3 END`;
    for (const id of await rows(things, COUNT - 20, owner, values)) all.add(id);
    for (const id of await rows(things, 20, other)) all.add(id);
    await service.sql('UPDATE dummythings SET amount = CASE WHEN id % 4 = 0 THEN NULL ELSE id % 3 END');
    const seen: string[] = [];
    for (let number = 1; number <= Math.ceil(COUNT / SIZE) + 1; number++) {
      const { ids, paging } = await page(owner, `/dummythings?${order}&itemsPerPage=${SIZE}&page=${number}`);
      expect(paging.totalItems).toBe(COUNT);
      seen.push(...ids);
    }
    expect(seen).toHaveLength(COUNT);
    expect(new Set(seen)).toEqual(all);
    expect((await page(owner, `/dummythings?${order}&itemsPerPage=100`)).ids).toEqual(seen);
  });

  it('that many ask for at one moment are each what was asked for', async () => {
    const all = await rows(things, 40, owner, `'n' || i`);
    const pages = await Promise.all(
      all.map((_, i) => page(anonymous, `/dummythings?itemsPerPage=1&page=${i + 1}`)),
    );
    expect(pages.flatMap(({ ids }) => ids)).toEqual(all);
  });

  it('lie where they say, however deep', async () => {
    const all = await rows(things, 20_000, owner, `'n' || i`);
    for (const number of [1, 1000, 1999, 2000]) {
      const { ids, paging } = await page(anonymous, `/dummythings?page=${number}`);
      expect(ids).toEqual(all.slice((number - 1) * 10, number * 10));
      expect(paging).toMatchObject({
        totalItems: 20_000,
        totalPages: 2000,
        nextPage: Math.min(number + 1, 2000),
      });
    }
    const last = await page(anonymous, '/dummythings?itemsPerPage=100&page=200&sortOrder=desc');
    expect(last.ids).toEqual(all.slice(0, 100).reverse());
    const beyond = await page(anonymous, '/dummythings?page=1000000&itemsPerPage=100');
    expect(beyond).toEqual({
      paging: {
        page: 1_000_000,
        nextPage: 200,
        previousPage: 999_999,
        itemsPerPage: 100,
        totalItems: 20_000,
        totalPages: 200,
      },
      ids: [],
    });
  });

  // Statistics that were gathered while a large import was under way say so.
  it('are quick while PostgreSQL takes the table for empty', async () => {
    const client = new Client({ connectionString: service.databaseUrl });
    await client.connect();
    try {
      const userId = seeder.rowId(seeder.graph.userKind, String(owner.id));
      await client.query('ALTER TABLE dummythings SET (autovacuum_enabled = off)'); // it would know better soon
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO dummythings (name, amount, "userId", "createdAt")
         SELECT 'n', (i * 7919) % 20000, $1, '2026-01-01T00:00:00Z' FROM generate_series(1, 20000) AS i`,
        [userId],
      );
      await service.sql('ANALYZE dummythings'); // sees nothing of it
      await client.query('COMMIT');
    } finally {
      await client.end();
    }
    const [believed] = await service.sql(`SELECT reltuples FROM pg_class WHERE relname = 'dummythings'`);
    expect(believed).toEqual({ reltuples: 0 });
    for (const [query, order] of [
      ['', 'id'],
      ['sortOrder=desc&', 'id DESC'],
      ['sortBy=amount&', 'amount'],
      ['search=n&', 'id'],
      ['includeRelated=user&sortBy=amount&sortOrder=desc&', 'amount DESC'],
    ] as const) {
      const right = await service.sql<{ id: string }>(
        `SELECT id FROM dummythings ORDER BY ${order} LIMIT 10 OFFSET 9990`,
      );
      const start = performance.now();
      const { ids, paging } = await page(owner, `/dummythings?${query}page=1000`);
      expect([query, ids]).toEqual([query, right.map(({ id }) => seeder.publicId(things, id))]);
      expect(paging.totalItems).toBe(20_000);
      expect(performance.now() - start).toBeLessThan(quick(3000));
    }
    await service.sql('ALTER TABLE dummythings RESET (autovacuum_enabled)');
  });
});

describe('a search', () => {
  // Up to 500 matching rows are all looked up at once; from the 501st on they are counted.
  it.each([1, 499, 500, 501, 730])(
    'of %i matching rows has its exact total and its pages in order',
    async (n) => {
      await rows(things, 40, other, "'hay'");
      const needles = await rows(things, n, owner, "'a needle ' || i");
      for (const at of [1, Math.ceil(n / 100), Math.ceil(n / 100) + 1]) {
        const found = await page(anonymous, `/dummythings?search=NEEDLE&itemsPerPage=100&page=${at}`);
        expect(found.ids).toEqual(needles.slice((at - 1) * 100, at * 100));
        expect(found.paging).toMatchObject({ totalItems: n, totalPages: Math.ceil(n / 100) });
      }
      const first = await page(
        anonymous,
        '/dummythings?search=needle&sortOrder=desc&maxItems=3&itemsPerPage=2&page=2',
      );
      expect(first.ids).toEqual([...needles].reverse().slice(2, 3));
      expect(first.paging.totalItems).toBe(Math.min(n, 3));
    },
  );
});
