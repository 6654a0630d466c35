import { Injectable } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Database } from '../../src/postgres/database.js';
import { Kind } from '../../src/record/schema/kind.js';
import { Prop } from '../../src/record/schema/prop.js';
import { RecordEngine } from '../../src/record/record-engine.js';
import { RecordEntity } from '../../src/record/record.entity.js';
import { type ExtraSource, RecordService } from '../../src/record/record.service.js';
import type { Envelope, Link } from '../../src/record/response/envelope.js';
import type { RowOf } from '../../src/record/row.js';
import { MAKER, testModule } from '../kinds/define.js';
import { errorOf, idOf, idsOf, itemsOf, listOf, recordOf } from '../support/answers.js';
import type { Answer, Caller } from '../support/client.js';
import { type Fixture, type Person, resetFixture } from '../support/fixture.js';
import { startTestService, type TestService } from '../support/service.js';

/*
 * The size of a page is the size of what its caller sees: what is hidden has none, or a record of a known size beside it
 * would measure it to the byte.
 */

const PAGE_BYTES = 100_000;
/** Three of these are too large for a page, whoever sees them. */
const LONG = 40_000;

/** Private to its owners. */
@Kind({
  kind: 'DummyFolder',
  path: 'dummyfolders',
  owner: ['$userId', 'admin'],
  view: ['owner'],
  create: ['owner'],
})
class DummyFolder extends RecordEntity {
  @Prop.string({ length: 65535, view: ['owner'], edit: ['owner'] })
  text!: string | null;

  @Prop.parent(MAKER)
  userId!: string;
}

/** Public, but for its long texts. */
@Kind({
  kind: 'DummyLeaf',
  path: 'dummyleaves',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
})
class DummyLeaf extends RecordEntity {
  @Prop.string({ length: 20, filterQuery: true, view: ['public'], edit: ['owner'] })
  title!: string | null;

  @Prop.string({ length: 65535, view: ['owner'], edit: ['owner'] })
  note!: string | null;

  @Prop.json({ view: ['owner'], edit: ['owner'] })
  data!: unknown;

  /** Nobody sees it; a service could set it. */
  @Prop.string({ length: 65535, view: [], edit: [] })
  draft!: string | null;

  @Prop.parent({ name: 'folder', kind: 'DummyFolder', onDelete: 'null', view: ['public'], edit: ['owner'] })
  folderId!: string | null;

  @Prop.parent({
    name: 'stem',
    kind: 'DummyLeaf',
    onDelete: 'null',
    skipOwnerCheck: true,
    view: ['public'],
    edit: ['owner'],
  })
  stemId!: string | null;

  @Prop.parent(MAKER)
  userId!: string;
}

/** Tells everybody how long a hidden text is, on purpose. */
@Injectable()
class DummyLeafService extends RecordService<DummyLeaf> {
  override readonly extras = new Map<string, ExtraSource>([
    ['length', (rows) => Promise.resolve(rows.map(({ note }) => String(note).length))],
  ]);

  constructor(engine: RecordEngine) {
    super(engine, DummyLeaf);
  }

  override serializeMeta({ note }: RowOf<DummyLeaf>): Record<string, unknown> {
    return { noteLength: note?.length ?? 0 };
  }

  override serializeLinks({ note }: RowOf<DummyLeaf>): Record<string, Link> {
    return { note: { href: `/notes/${note?.length ?? 0}`, methods: ['GET'], usage: 'page' } };
  }
}

let service: TestService;
let f: Fixture;
beforeAll(async () => {
  service = await startTestService({
    kinds: [testModule(DummyFolder), testModule(DummyLeaf, DummyLeafService)],
    template: 'kinds_sizes',
    env: { MAX_PAGE_BYTES: String(PAGE_BYTES) },
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  f = await resetFixture(service);
});

const add = async (person: Person, path: string, body: object): Promise<string> => {
  const answer = await person.call.post(path, body);
  expect(answer.status).toBe(201);
  return idOf(answer);
};

/** Lists of all leaves: found by an index, by a search that finds few, by sorting, and by a filter. */
const LISTS = [
  '/dummyleaves?itemsPerPage=100',
  '/dummyleaves?itemsPerPage=100&search=leaf',
  '/dummyleaves?itemsPerPage=100&sortBy=title',
  '/dummyleaves?itemsPerPage=100&_start_createdAt=2000-01-01T00:00:00.000Z',
];

/** The statuses of lists for a caller. */
const statuses = async (caller: Caller, lists: readonly string[]): Promise<number[]> => {
  const answers: Answer[] = [];
  for (const path of lists) answers.push(await caller.get(path));
  for (const answer of answers.filter(({ status }) => status === 422))
    expect(errorOf(answer)).toMatchObject({ code: 442, data: 'itemsPerPage' });
  return answers.map(({ status }) => status);
};
const all = (status: number, lists: readonly string[]) => lists.map(() => status);

describe('hidden values', () => {
  it('make no page too large for those who do not see them', async () => {
    for (const note of ['a', 'b', 'c']) {
      const data = { text: note.repeat(LONG) };
      await add(f.owner, '/dummyleaves', { title: 'leaf', note: note.repeat(LONG), data });
    }
    await service.sql(`UPDATE dummyleaves SET draft = repeat('x', 65535)`);
    await add(f.other, '/dummyleaves', { title: 'leaf', note: 'd'.repeat(LONG) });
    for (const caller of [f.anon, f.other.call])
      expect(await statuses(caller, LISTS)).toEqual(all(200, LISTS));
    for (const caller of [f.owner.call, f.admin.call])
      expect(await statuses(caller, LISTS)).toEqual(all(422, LISTS));
    const items = itemsOf(await f.other.call.get(LISTS[0] ?? ''));
    expect(items.map(({ note }) => note)).toEqual([undefined, undefined, undefined, 'd'.repeat(LONG)]);
  });

  it.each([0, 1, LONG])('of %i bytes change nothing about which pages are too large', async (hidden) => {
    await add(f.owner, '/dummyleaves', { title: 'leaf', note: hidden ? 'h'.repeat(hidden) : null });
    await add(f.other, '/dummyleaves', { title: 'leaf', note: 'o'.repeat(50_000) });
    const last = await add(f.other, '/dummyleaves', { title: 'leaf', note: 'o'.repeat(50_000) });
    expect(await statuses(f.other.call, LISTS)).toEqual(all(200, LISTS));
    await f.other.call.put(`/dummyleaves/${last}`, { note: 'o'.repeat(50_001) });
    expect(await statuses(f.other.call, LISTS)).toEqual(all(422, LISTS));
    expect(await statuses(f.anon, LISTS)).toEqual(all(200, LISTS));
  });

  it('are read for those alone who see them', async () => {
    await add(f.owner, '/dummyleaves', { title: 'leaf', note: 'secret note', data: { secret: true } });
    const read = jest.spyOn(service.app.get(Database), 'read');
    const found = async (caller: Caller) => {
      read.mockClear();
      for (const path of LISTS) expect((await caller.get(path)).status).toBe(200);
      return JSON.stringify(await Promise.all(read.mock.results.map(({ value }) => value)));
    };
    for (const caller of [f.anon, f.other.call]) expect(await found(caller)).not.toContain('secret');
    expect(await found(f.owner.call)).toMatch(/secret note.*\{"secret":true\}/);
    read.mockRestore();
  });
});

describe('hidden records', () => {
  const RELATED = LISTS.map((path) => `${path}&includeRelated=folder`);

  it.each([0, 1, LONG])('of %i bytes have no size where they would be included', async (hidden) => {
    const folders = await Promise.all(
      [50_000, 50_000].map((bytes) => add(f.other, '/dummyfolders', { text: 'o'.repeat(bytes) })),
    );
    const hers = await add(f.owner, '/dummyfolders', { text: hidden ? 'h'.repeat(hidden) : null });
    for (const folderId of folders) await add(f.other, '/dummyleaves', { title: 'leaf', folderId });
    await add(f.owner, '/dummyleaves', { title: 'leaf', folderId: hers });
    expect(await statuses(f.other.call, RELATED)).toEqual(all(200, RELATED));
    const answer = await f.other.call.get(RELATED[0] ?? '');
    const related = listOf(answer).items.map((item) => item.related?.folder?.props.id);
    expect(related).toEqual([...folders, undefined]);
    await f.other.call.put(`/dummyfolders/${folders[0]}`, { text: 'o'.repeat(50_001) });
    expect(await statuses(f.other.call, RELATED)).toEqual(all(422, RELATED));
    expect(await statuses(f.anon, RELATED)).toEqual(all(200, RELATED));
  });
});

describe('the hooks of a service', () => {
  const LENGTHS = [LONG, LONG + 1, LONG + 2];
  const WITH_HOOKS = '&includeMeta=true&includeLinks=true&includeExtra=length';
  const hooksOf = ({ meta, links, extras }: Envelope) => [
    meta?.noteLength,
    links?.note?.href,
    extras?.length,
  ];
  const expected = LENGTHS.map((length) => [length, `/notes/${length}`, length]);

  beforeEach(async () => {
    for (const length of LENGTHS)
      await add(f.owner, '/dummyleaves', { title: 'leaf', note: 'n'.repeat(length) });
  });

  it('get whole rows, whatever their caller sees, and read them in parts', async () => {
    const read = jest.spyOn(service.app.get(Database), 'read');
    for (const path of LISTS) {
      for (const caller of [f.anon, f.other.call]) {
        const answer = await caller.get(`${path}${WITH_HOOKS}`);
        expect(listOf(answer).items.map(hooksOf)).toEqual(expected);
        expect(answer.text).not.toContain('nnn');
      }
    }
    const sizes = read.mock.results.map(async ({ value }) => JSON.stringify(await value).length);
    read.mockRestore();
    expect(Math.max(...(await Promise.all(sizes)))).toBeLessThan(PAGE_BYTES);
    for (const path of LISTS) expect((await f.owner.call.get(`${path}${WITH_HOOKS}`)).status).toBe(422);
  });

  it('get whole rows also when a caller asks for only one of them', async () => {
    const [meta = '', links = '', extra = ''] = WITH_HOOKS.split('&').slice(1);
    const asked = async (include: string) =>
      listOf(await f.anon.get(`${LISTS[0]}&${include}`)).items.map(hooksOf);
    expect(await asked(meta)).toEqual(LENGTHS.map((length) => [length, undefined, undefined]));
    expect(await asked(links)).toEqual(LENGTHS.map((length) => [undefined, `/notes/${length}`, undefined]));
    expect(await asked(extra)).toEqual(LENGTHS.map((length) => [undefined, undefined, length]));
  });

  it('get whole rows of related records and of single ones', async () => {
    const stems = idsOf(await f.anon.get(LISTS[0] ?? ''));
    const ids: string[] = [];
    for (const stemId of stems) ids.push(await add(f.other, '/dummyleaves', { title: 'twig', stemId }));
    const list = await f.other.call.get(`/dummyleaves?search=twig&includeRelated=stem${WITH_HOOKS}`);
    const one = await f.other.call.get(`/dummyleaves/${ids[1]}?includeRelated=stem${WITH_HOOKS}`);
    const itself = await f.other.call.get(`/dummyleaves/${stems[1]}?${WITH_HOOKS}`);
    const related = listOf(list).items.map((item) => item.related?.stem);
    const withoutExtras = expected.map(([meta, link]) => [meta, link, undefined]);
    expect(related.map((stem) => stem && hooksOf(stem))).toEqual(withoutExtras);
    expect(hooksOf(recordOf(one).related?.stem ?? { props: {} })).toEqual(withoutExtras[1]);
    expect(hooksOf(recordOf(itself))).toEqual(expected[1]);
    for (const { text } of [list, one, itself]) expect(text).not.toContain('nnn');
  });
});
