import { BASE_PROPS } from '../support/values.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { StartupError } from '../../src/common/startup-error.js';
import { Kind } from '../../src/record/schema/kind.js';
import { Prop } from '../../src/record/schema/prop.js';
import { RecordEntity } from '../../src/record/record.entity.js';
import { testModule } from '../kinds/define.js';
import { TEST_KINDS } from '../kinds/kinds.js';
import type { Caller } from '../support/client.js';
import { addPerson, type Fixture, PASSWORD, resetFixture } from '../support/fixture.js';
import { startTestService, type TestService } from '../support/service.js';
import { expectSameAnswer, NONSENSE } from '../support/hidden-values.js';
import { addBelongings, type Belongings, createRecord } from '../support/belongings.js';
import { rowOf, setColumn } from '../support/rows.js';
import {
  expectAbsent,
  expectList,
  idOf,
  idsOf,
  listOf,
  recordOf,
  refusal,
  warningsOf,
} from '../support/answers.js';

/*
 * What a new kind does before its author has thought of rights, and that every
 * kind has the same guards on every verb. The expected answers are written out by hand, so that they can't be wrong
 * in the same way as the engine; test/every-kind/ computes them for every declaration.
 */

/** As the author leaves it: owner rule and nothing else; `note` names nobody. */
@Kind({
  kind: 'DummySecretthing',
  path: 'dummysecretthings',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
})
export class DummySecretthing extends RecordEntity {
  @Prop.string({ length: 256, view: [], edit: [] })
  note!: string | null;

  @Prop.parent({ name: 'user', kind: 'User', onDelete: 'cascade', view: [], edit: [] })
  userId!: string | null;
}

let n = 0;
/** A text that no row has yet. */
const unique = () => `n${++n}`;

const ACTORS = ['anon', 'other', 'owner', 'admin', 'developer'] as const;
type Actor = (typeof ACTORS)[number];

let service: TestService;
let people: Fixture;
let actors: Record<Actor, Caller>;
let olives: Belongings;

beforeAll(async () => {
  service = await startTestService({
    kinds: [...TEST_KINDS, testModule(DummySecretthing)],
    template: 'scaffold',
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  people = await resetFixture(service);
  const developer = await addPerson(service, 'dev_u', 'dev@mail.test', 'Dev Eloper', { developer: true });
  const { anon, owner, other, admin } = people;
  actors = { anon, other: other.call, owner: owner.call, admin: admin.call, developer: developer.call };
  olives = await addBelongings(owner, 'olive', 7);
});

describe('a new kind', () => {
  it('a new kind is closed by default', async () => {
    const { anon, owner, other, admin } = people;
    for (const body of [{ note: 'x' }, {}, { note: 'x', userId: other.id }]) {
      expect(refusal(await anon.post('/dummysecretthings', body))).toEqual([401, 401, null]);
    }
    // Whoever is logged in may create and then owns it; a prop that names nobody is not taken.
    const created = await other.call.post('/dummysecretthings?includeMeta=true', {
      note: 'x',
      userId: owner.id,
    });
    expect([created.status, warningsOf(created)]).toEqual([201, ['403 note', '403 userId']]);
    expect(Object.keys(recordOf(created).props).sort()).toEqual([...BASE_PROPS].sort());
    expect(recordOf(created).meta?.isOwner).toBe(true);
    const id = idOf(created);
    const target = ['DummySecretthing', id] as const;
    expect((await rowOf(service, target))?.note).toBeNull();
    await setColumn(service, target, 'note', 'classified');
    for (const caller of [anon, owner.call, other.call, admin.call]) {
      for (const path of ['/dummysecretthings', `/dummysecretthings/${id}`]) {
        const answer = await caller.get(`${path}?includeMeta=true&includeOptions=true&includeLinks=true`);
        expect(answer.status).toBe(200);
        expectAbsent(answer, ['note', 'classified', owner.id, other.id]);
      }
      const found = await expectSameAnswer(caller, 200, [
        '/dummysecretthings?search=a',
        '/dummysecretthings?search=classified',
        `/dummysecretthings?search=${NONSENSE}`,
      ]);
      expectList(found, []);
      expect(warningsOf(found)).toEqual(['403 search']);
      // Nothing could be searched or filtered by it: a declaration that says so stops the start.
      const ignored = await expectSameAnswer(caller, 200, [
        '/dummysecretthings?note=classified',
        '/dummysecretthings?note=null',
      ]);
      expect(warningsOf(ignored)).toEqual(['400 note']);
      expect(refusal(await caller.get('/dummysecretthings?sortBy=note'))).toEqual([403, 403, 'note']);
      expect((await caller.get(`/dummysecretthings?userId=${other.id}`)).status).toBe(403);
      expect([401, 403]).toContain((await caller.get(`/dummysecretthings/${id}/user`)).status);
      const related = await caller.get(`/dummysecretthings/${id}?includeRelated=user`);
      expect([recordOf(related).related, warningsOf(related)]).toEqual([{ user: null }, ['403 user']]);
    }
    expect((await owner.call.delete(`/dummysecretthings/${id}`)).status).toBe(403);
    expect((await anon.delete(`/dummysecretthings/${id}`)).status).toBe(401);
    expect(warningsOf(await other.call.put(`/dummysecretthings/${id}`, { note: 'y' }))).toEqual(['403 note']);
    expect((await rowOf(service, target))?.note).toBe('classified');
    expect((await other.call.delete(`/dummysecretthings/${id}`)).status).toBe(200);
  });

  it('a prop that says nothing about view or edit stops the start, with a sentence', () => {
    for (const lists of [{}, { view: ['public'] }, { edit: ['owner'] }]) {
      class Careless extends RecordEntity {
        declare note: string | null;
      }
      Prop.string({ length: 5, ...lists } as never)(Careless.prototype, 'note');
      const boot = () =>
        Kind({
          kind: 'DummyCareless',
          path: 'dummycareless',
          owner: ['admin'],
          view: ['public'],
          create: [],
        })(Careless);
      expect(boot).toThrow(StartupError);
      expect(boot).toThrow(/Careless.*note.*(view|edit)/);
    }
  });

  interface Guards {
    readonly path: string;
    readonly kind: string;
    /** The row that the verbs are tried on: of owner, or where the kind is a role's, of admin. */
    readonly make: () => Promise<string>;
    readonly body: () => Record<string, unknown>;
    readonly change: readonly [prop: string, value: unknown];
    /** Statuses by actor: anon, other, owner, admin, developer. */
    readonly list: readonly number[];
    readonly read: readonly number[];
    readonly create: readonly number[];
    readonly update: readonly number[];
    /** Props beside id, createdAt and updatedAt, by actor. */
    readonly props: readonly string[];
  }

  const ok = [200, 200, 200, 200, 200];
  const ownersOnly = [401, 403, 200, 200, 403];
  const hidden = [404, 404, 200, 200, 404];
  const thing = 'active amount colour data due name note stamp touchedAt url userId';
  const GUARDS: readonly Guards[] = [
    {
      path: 'dummythings', // public rows, owned by a user
      kind: 'DummyThing',
      make: () => createRecord(people.owner.call, '/dummythings', { name: 'fresh' }),
      body: () => ({ name: 'new' }),
      change: ['name', 'changed'],
      list: ok,
      read: ok,
      create: [401, 201, 201, 201, 201],
      update: ownersOnly,
      props: [
        thing,
        thing,
        `${thing} buddyId score secret`,
        `${thing} buddyId score secret`,
        `${thing} score`,
      ],
    },
    {
      path: 'dummyitems', // a dynamic option list, a userId that nobody edits
      kind: 'DummyItem',
      make: () =>
        createRecord(people.owner.call, '/dummyitems', { name: `fresh ${unique()}`, category: 'Food' }),
      body: () => ({ name: 'new', category: 'Armor' }),
      change: ['shelf', 'top'],
      list: ok,
      read: ok,
      create: [401, 201, 409, 409, 409], // the name is taken by then
      update: ownersOnly,
      props: ['', '', 'receiptId ', 'receiptId ', ''].map((own) => `category code name ${own}shelf userId`),
    },
    {
      path: 'dummyinvoices', // rows of their owners
      kind: 'DummyInvoice',
      make: () => createRecord(people.owner.call, '/dummyinvoices', { title: 'fresh' }),
      body: () => ({ title: 'new' }),
      change: ['title', 'changed'],
      list: [401, 200, 200, 200, 200],
      read: hidden,
      create: [401, 201, 201, 201, 201],
      update: hidden,
      props: ['', '', 'title userId', 'title userId', ''],
    },
    {
      path: 'dummylineitems', // public rows, owned by whoever owns the parent
      kind: 'DummyLineItem',
      make: () =>
        createRecord(people.owner.call, '/dummylineitems', { label: 'fresh', invoiceId: olives.invoice }),
      body: () => ({ label: 'new', invoiceId: olives.invoice }),
      change: ['label', 'changed'],
      list: ok,
      read: ok,
      create: [401, 403, 201, 201, 403],
      update: ownersOnly,
      props: [
        'invoiceId label',
        'invoiceId label',
        'invoiceId label price',
        'invoiceId label price',
        'invoiceId label',
      ],
    },
    {
      path: 'dummyremarks', // rows of owners, two parents up
      kind: 'DummyRemark',
      make: () =>
        createRecord(people.owner.call, '/dummyremarks', { text: 'fresh', lineItemId: olives.lineItem }),
      body: () => ({ text: 'new', lineItemId: olives.lineItem }),
      change: ['text', 'changed'],
      list: [401, 200, 200, 200, 200],
      read: hidden,
      create: [401, 403, 201, 201, 403],
      update: hidden,
      props: ['', '', 'lineItemId text', 'lineItemId text', ''],
    },
    {
      path: 'dummytopics', // rows of roles, owned by a role
      kind: 'DummyTopic',
      make: () => createRecord(people.admin.call, '/dummytopics', { title: `fresh ${unique()}` }),
      body: () => ({ title: 'new' }),
      change: ['title', 'changed'],
      list: [401, 403, 403, 200, 200],
      read: [404, 404, 404, 200, 200],
      create: [401, 403, 403, 201, 409],
      update: [404, 404, 404, 200, 403],
      props: ['', '', '', 'thingId title weight', 'thingId title'],
    },
    {
      path: 'apikeys', // built in
      kind: 'APIKey',
      make: () => createRecord(people.owner.call, '/apikeys', { name: 'fresh' }),
      body: () => ({ name: 'new' }),
      change: ['name', 'changed'],
      list: [401, 200, 200, 200, 200],
      read: hidden,
      create: [401, 201, 201, 201, 201],
      update: hidden,
      props: ['', '', 'expiresAt lastUsedAt name userId', 'expiresAt lastUsedAt name userId', ''],
    },
    {
      path: 'users', // built in; a made-up stranger's row, which nobody here but admin owns
      kind: 'User',
      make: async () => (await addPerson(service, `u${unique()}`, `u${unique()}@mail.test`, 'U')).id,
      body: () => ({ username: 'new', email: 'new@mail.test', password: PASSWORD }),
      change: ['realName', 'changed'],
      list: ok,
      read: ok,
      create: [201, 409, 409, 409, 409],
      update: [401, 403, 403, 200, 403],
      props: ['', '', '', 'admin developer email realName useAsDisplayName username verifiedEmail', ''],
    },
  ];

  const sortedProps = (props: Record<string, unknown>) =>
    Object.keys(props)
      .filter((prop) => ![...BASE_PROPS, 'avatarId'].includes(prop))
      .sort()
      .join(' ');
  const sortedWords = (words: string) => words.split(' ').sort().join(' ');

  it.each(GUARDS.map((guards) => [guards.path, guards] as const))(
    'every verb × actor on /%s',
    async (path, guards) => {
      const { kind, make, body, change } = guards;
      const [prop, value] = change;
      const id = await make();
      const target = [kind, id] as const;
      for (const [i, actor] of ACTORS.entries()) {
        const caller = actors[actor];
        const cell = (verb: string, status: unknown) => `${actor} ${verb} ${String(status)}`;

        const listed = await caller.get(`/${path}?itemsPerPage=100`);
        expect(cell('list', listed.status)).toBe(cell('list', guards.list[i]));
        const sees = guards.read[i] === 200;
        if (listed.status === 200) {
          expect([actor, idsOf(listed).includes(id)]).toEqual([actor, sees]);
          const item = listOf(listed).items.find(({ props }) => props.id === id);
          if (item)
            expect([actor, sortedProps(item.props)]).toEqual([actor, sortedWords(guards.props[i] ?? '')]);
        } else expectAbsent(listed, [id]);

        const read = await caller.get(`/${path}/${id}`);
        expect(cell('read', read.status)).toBe(cell('read', guards.read[i]));
        if (sees)
          expect([actor, sortedProps(recordOf(read).props)]).toEqual([
            actor,
            sortedWords(guards.props[i] ?? ''),
          ]);
        else expect(Object.keys(read.body)).toEqual(['error']);

        const before = await rowOf(service, target);
        const updated = await caller.put(`/${path}/${id}`, { [prop]: value });
        expect(cell('update', updated.status)).toBe(cell('update', guards.update[i]));
        const after = await rowOf(service, target);
        if (updated.status === 200) expect(after?.[prop]).toBe(value);
        else expect(after).toEqual(before);
        await setColumn(service, target, prop, before?.[prop]);

        const created = await caller.post(`/${path}`, body());
        expect(cell('create', created.status)).toBe(cell('create', guards.create[i]));

        const doomed = await make();
        const removed = await caller.delete(`/${path}/${doomed}`);
        expect(cell('remove', removed.status)).toBe(cell('remove', guards.update[i]));
        const left = await rowOf(service, [kind, doomed]);
        expect([actor, left === undefined]).toEqual([actor, removed.status === 200]);
      }
    },
  );
});
