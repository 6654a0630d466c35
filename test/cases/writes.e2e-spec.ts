import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TEST_KINDS } from '../kinds/kinds.js';
import type { Answer, Caller } from '../support/client.js';
import { addPerson, type Fixture, PASSWORD, resetFixture } from '../support/fixture.js';
import { startTestService, type TestService } from '../support/service.js';
import {
  addBelongings,
  addOwnerless,
  type Belongings,
  column,
  expectAbsent,
  expectList,
  expectPublicUser,
  expectRows,
  idOf,
  made,
  record,
  refusal,
  rowId,
  rowOf,
  setColumn,
  unusedId,
  warned,
} from './data-helpers.js';

/*
 * Writing: families mass-assignment, ownership and parent-hijack. `bio` and `url` of the cases are realName and name
 * here; files and cron jobs are Invoice, LineItem, Remark, Thing and Topic.
 */

type Target = readonly [kind: string, table: string, id: string];

let service: TestService;
let people: Fixture;
let olives: Belongings;
let ottos: Belongings;
let nobodys: { thing: string; lineItem: string };

beforeAll(async () => {
  service = await startTestService({ kinds: TEST_KINDS, template: 'kinds' });
});
afterAll(() => service.stop());
beforeEach(async () => {
  people = await resetFixture(service);
  olives = await addBelongings(people.owner, 'olive', 7);
  ottos = await addBelongings(people.other, 'otto', 50);
  nobodys = await addOwnerless(service);
});

const userRow = (id: string): Target => ['User', 'users', id];
const thingRow = (id: string): Target => ['DummyThing', 'dummythings', id];

/** Makes a write and asserts that the row in the database is what it was, to the last column. */
async function expectUntouched(target: Target, write: () => Promise<Answer>): Promise<Answer> {
  const before = await rowOf(service, target);
  expect(before).toBeDefined();
  const answer = await write();
  expect(await rowOf(service, target)).toEqual(before);
  return answer;
}

/** The number of rows of a table. */
async function count(table: string): Promise<number> {
  const [row] = await service.sql<{ n: number }>(`SELECT count(*)::int AS n FROM "${table}"`);
  return row?.n ?? -1;
}

/** The numbers of rows of several tables, asked one after the other: they share a connection. */
async function counts(...tables: readonly string[]): Promise<number[]> {
  const numbers: number[] = [];
  for (const table of tables) numbers.push(await count(table));
  return numbers;
}

/** Logs in and answers the status. */
const login = async (body: unknown): Promise<[number, unknown]> => {
  const answer = await people.anon.post('/sessions', body);
  return [answer.status, (answer.body.error as { code?: unknown } | undefined)?.code];
};

describe('mass-assignment', () => {
  it('MA-01: a user can’t make itself administrator', async () => {
    const { owner, admin } = people;
    for (const value of [true, 'true']) {
      const answer = await owner.call.put(`/users/${owner.id}`, {
        admin: value,
        developer: value,
        verifiedEmail: value,
        realName: `New ${String(value)} ${typeof value}`,
      });
      expect(answer.status).toBe(200);
      expect(warned(answer)).toEqual(['403 admin', '403 developer', '403 verifiedEmail']);
      expect(record(answer).props).toMatchObject({
        realName: `New ${String(value)} ${typeof value}`,
        admin: false,
        developer: false,
        verifiedEmail: false,
      });
    }
    const me = record(await owner.call.get('/users/whoami')).props;
    expect(me).toMatchObject({ id: owner.id, admin: false, developer: false, verifiedEmail: false });
    // /cronjobs comes later; rows of roles stay refused.
    expect((await owner.call.get('/dummytopics')).status).toBe(403);
    expectList(await admin.call.get('/users?admin=true'), [admin.id]);
    // Nothing but refused props: nothing changes, not even updatedAt.
    const nothing = await expectUntouched(userRow(owner.id), () =>
      owner.call.put(`/users/${owner.id}`, { admin: true }),
    );
    expect([nothing.status, warned(nothing)]).toEqual([200, ['403 admin']]);
  });

  it('MA-01: sign-up never sets a role, whoever is logged in', async () => {
    const { anon, owner, admin } = people;
    for (const [by, name] of [
      [anon, 'fresh1'],
      [owner.call, 'fresh2'],
    ] as const) {
      const answer = await by.post('/users', {
        username: name,
        email: `${name}@mail.test`,
        password: PASSWORD,
        admin: true,
        developer: 'true',
        verifiedEmail: true,
      });
      expect(answer.status).toBe(201);
      expect(warned(answer)).toEqual(['403 admin', '403 developer', '403 verifiedEmail']);
      const stored = record(await admin.call.get(`/users/${idOf(answer)}`)).props;
      expect(stored).toMatchObject({ username: name, admin: false, developer: false, verifiedEmail: false });
    }
    expectList(await admin.call.get('/users?admin=true'), [admin.id]);
  });

  it('MA-03: identity and timestamps are not writable', async () => {
    const { owner, other, admin } = people;
    const old = record(await owner.call.get(`/users/${owner.id}`)).props;
    const started = Date.now();
    const answer = await expectUntouched(userRow(other.id), () =>
      owner.call.put(`/users/${owner.id}`, {
        id: other.id,
        createdAt: '2001-01-01T00:00:00.000Z',
        updatedAt: '2001-01-01T00:00:00.000Z',
        realName: 'b',
      }),
    );
    expect(answer.status).toBe(200);
    expect(warned(answer)).toEqual(['403 id', '403 createdAt', '403 updatedAt']);
    const now = record(await owner.call.get(`/users/${owner.id}`)).props;
    expect(now).toMatchObject({ id: owner.id, createdAt: old.createdAt, realName: 'b' });
    expect(Date.parse(String(now.updatedAt))).toBeGreaterThanOrEqual(started - 2000);
    expect(record(await admin.call.get(`/users/${other.id}`)).props.realName).toBe('Otto Other');
    // The same on create, and for a date that only the service sets.
    const thing = await owner.call.post('/dummythings', {
      id: olives.thing,
      createdAt: '2001-01-01T00:00:00.000Z',
      updatedAt: '2001-01-01T00:00:00.000Z',
      touchedAt: '2001-01-01T00:00:00.000Z',
      name: 'n',
    });
    expect(thing.status).toBe(201);
    expect(warned(thing)).toEqual(['403 id', '403 createdAt', '403 updatedAt', '403 touchedAt']);
    expect(idOf(thing)).not.toBe(olives.thing);
    expect(record(thing).props.touchedAt).toBeNull();
    expect(thing.text).not.toContain('2001-');
  });

  it('MA-03: props without a right to edit stay as they are, on create and update', async () => {
    const { owner, admin } = people;
    const body = { hiddenNote: 'h', stamp: 's', touchedAt: '2001-01-01T00:00:00.000Z', name: 'n' };
    for (const caller of [owner.call, admin.call]) {
      const created = await caller.post('/dummythings', body);
      expect(created.status).toBe(201);
      expect(warned(created)).toEqual(['403 hiddenNote', '403 stamp', '403 touchedAt']);
      const changed = await caller.put(`/dummythings/${idOf(created)}`, { ...body, name: 'n2' });
      expect(changed.status).toBe(200);
      expect(warned(changed)).toEqual(['403 hiddenNote', '403 stamp', '403 touchedAt']);
      expect(await rowOf(service, thingRow(idOf(created)))).toMatchObject({
        hiddenNote: null,
        stamp: null,
        name: 'n2',
      });
    }
    // Item.userId has nobody under edit: the creator it is, whomever the body names.
    const item = await owner.call.post('/dummyitems', {
      name: 'i',
      category: 'Food',
      userId: people.other.id,
    });
    expect([item.status, warned(item)]).toEqual([201, ['403 userId']]);
    expect(record(item).props.userId).toBe(owner.id);
    // A child relation is no prop to set.
    const invoice = await owner.call.put(`/dummyinvoices/${olives.invoice}`, { lineItems: [ottos.lineItem] });
    expect([invoice.status, warned(invoice)]).toEqual([200, ['403 lineItems']]);
  });

  it('a record that is sent back as it was read gives no warnings, and changes nothing', async () => {
    const { owner, admin } = people;
    await setColumn(service, thingRow(olives.thing), 'stamp', 'stamped');
    await setColumn(service, thingRow(olives.thing), 'hiddenNote', 'hidden');
    await owner.call.put(`/dummythings/${olives.thing}`, { data: { b: [1, { d: 1, c: 2 }], a: null } });
    const key = owner.key.id;
    for (const caller of [owner.call, admin.call]) {
      for (const path of [
        `/dummythings/${olives.thing}`,
        `/users/${owner.id}`,
        `/dummyinvoices/${olives.invoice}`,
        `/apikeys/${key}`,
      ]) {
        const read = record(await caller.get(path)).props;
        const answer = await caller.put(path, read);
        expect([path, answer.status, warned(answer)]).toEqual([path, 200, []]);
        // `updatedAt` too: nothing was changed.
        expect(record(answer).props).toEqual(read);
      }
    }
    // Anything else is told, one by one.
    const read = record(await owner.call.get(`/dummythings/${olives.thing}`)).props;
    const other = { ...read, id: ottos.thing, stamp: 'other', createdAt: '2001-01-01T00:00:00.000Z' };
    expect(warned(await owner.call.put(`/dummythings/${olives.thing}`, other)).sort()).toEqual([
      '403 createdAt',
      '403 id',
      '403 stamp',
    ]);
    // Of what the caller may not see, the right value is told like a wrong one.
    for (const hiddenNote of ['hidden', 'wrong', null]) {
      const guess = await owner.call.put(`/dummythings/${olives.thing}`, { hiddenNote, guarded: null });
      expect(warned(guess)).toEqual(['403 hiddenNote', '403 guarded']);
    }
  });

  it('an empty text in an optional prop is none: two records may have it, and it is null', async () => {
    const { owner } = people;
    const items: string[] = [];
    for (const name of ['a', 'b'])
      items.push(await made(owner.call, '/dummyitems', { name, category: 'Food', code: name }));
    for (const id of items) {
      const emptied = await owner.call.put(`/dummyitems/${id}`, { code: '' });
      expect([emptied.status, record(emptied).props.code]).toEqual([200, null]);
      expect(await rowOf(service, ['DummyItem', 'dummyitems', id])).toMatchObject({
        code: null,
        codeFolded: null,
      });
    }
    const made2 = await owner.call.post('/dummyitems', { name: 'c', category: 'Food', code: '' });
    expect([made2.status, record(made2).props.code]).toEqual([201, null]);
    expect(refusal(await owner.call.put(`/dummyitems/${items[0] ?? ''}`, { name: '' }))).toEqual([
      422,
      441,
      'name',
    ]);
    // An empty text changes nothing where there was none.
    const before = record(await owner.call.get(`/dummyitems/${items[0] ?? ''}`)).props.updatedAt;
    expect(record(await owner.call.put(`/dummyitems/${items[0] ?? ''}`, { code: '' })).props.updatedAt).toBe(
      before,
    );
  });

  it('MA-04: the secret of a key can’t be chosen by the client', async () => {
    const { owner } = people;
    const chosen = 'pk_aaaaaaaaaaaa';
    const answer = await owner.call.post('/apikeys', {
      name: 'n',
      userId: owner.id,
      privateKey: chosen,
      apiKey: 'mine',
    });
    expect(answer.status).toBe(201);
    expect(warned(answer).filter((text) => text === '400 privateKey' || text === '400 apiKey')).toHaveLength(
      2,
    );
    const key = idOf(answer);
    const privateKey = String(record(answer).meta?.privateKey);
    expect(privateKey).not.toBe(chosen);
    const changed = await owner.call.put(`/apikeys/${key}?includeMeta=true`, {
      privateKey: 'pk_bbbbbbbbbbbb',
    });
    expect([changed.status, warned(changed)]).toEqual([200, ['400 privateKey']]);
    expectAbsent(changed, ['pk_']);
    expect(await login({ apiKey: key, privateKey: chosen })).toEqual([401, 454]);
    expect(await login({ apiKey: key, privateKey: 'pk_bbbbbbbbbbbb' })).toEqual([401, 454]);
    expect(await login({ apiKey: key, privateKey })).toEqual([201, undefined]);
  });

  it('MA-06: verifiedEmail falls when the address changes and can’t be set back in the same call', async () => {
    const { owner, admin } = people;
    const verify = () => setColumn(service, userRow(owner.id), 'verifiedEmail', true);
    const stored = async () => {
      const { email, verifiedEmail } = record(await admin.call.get(`/users/${owner.id}`)).props;
      return [email, verifiedEmail];
    };
    await verify();
    // Positive control: other changes leave it.
    await owner.call.put(`/users/${owner.id}`, { realName: 'X', email: owner.email });
    expect(await stored()).toEqual([owner.email, true]);
    const changed = await owner.call.put(`/users/${owner.id}`, {
      email: 'new@mail.test',
      verifiedEmail: true,
      currentPassword: PASSWORD,
    });
    expect([changed.status, warned(changed)]).toEqual([200, ['403 verifiedEmail']]);
    expect(await stored()).toEqual(['new@mail.test', false]);
    await verify();
    // The same address, written in another case.
    await owner.call.put(`/users/${owner.id}`, { email: 'NEW@mail.test', currentPassword: PASSWORD });
    expect(await stored()).toEqual(['NEW@mail.test', true]);
    // A change that fails leaves both.
    await verify();
    expect(
      (await owner.call.put(`/users/${owner.id}`, { email: people.other.email, currentPassword: PASSWORD }))
        .status,
    ).toBe(409);
    expect(await stored()).toEqual(['NEW@mail.test', true]);
    // An admin changes the address of another: it is as unverified.
    await admin.call.put(`/users/${owner.id}`, { email: 'third@mail.test' });
    expect(await stored()).toEqual(['third@mail.test', false]);
    // Positive control: an admin may set it.
    await admin.call.put(`/users/${owner.id}`, { verifiedEmail: true });
    expect(await stored()).toEqual(['third@mail.test', true]);
  });

  it('MA-08: an object where a scalar is expected never becomes extra columns', async () => {
    const { owner, admin } = people;
    const shapes = [{ realName: 'x', admin: true }, { set: 'x' }, ['x'], [], {}, true, 1, [['a', 'b']]];
    for (const realName of shapes) {
      const answer = await expectUntouched(userRow(owner.id), () =>
        owner.call.put(`/users/${owner.id}`, { realName }),
      );
      expect([realName, ...refusal(answer)]).toEqual([realName, 422, 442, 'realName']);
    }
    expect(record(await admin.call.get(`/users/${owner.id}`)).props).toMatchObject({
      realName: 'Olive Owner',
      admin: false,
    });
    for (const prop of [
      'name',
      'score',
      'amount',
      'colour',
      'active',
      'due',
      'url',
      'secret',
      'userId',
      'buddyId',
    ]) {
      for (const value of [{ [prop]: 'x', secret: 'x' }, ['red'], [], { id: olives.thing }]) {
        const answer = await expectUntouched(thingRow(olives.thing), () =>
          owner.call.put(`/dummythings/${olives.thing}`, { [prop]: value }),
        );
        expect([prop, ...refusal(answer)]).toEqual([prop, 422, 442, prop]);
        expect(refusal(await owner.call.post('/dummythings', { [prop]: value }))).toEqual([422, 442, prop]);
      }
    }
    // json is the one type for it, and comes back as it was sent.
    const data = { name: 'x', userId: 1, nested: [{ admin: true }] };
    const stored = await owner.call.put(`/dummythings/${olives.thing}`, { data });
    expect(record(stored).props).toMatchObject({ data, name: 'Thing of olive', userId: owner.id });
  });

  it('MA-09: spelling variants of privileged props mean nothing', async () => {
    const { owner, admin } = people;
    const names = [
      'Admin',
      'ADMIN',
      'admin ',
      ' admin',
      'ａｄｍｉｎ',
      'is_admin',
      'admin\u200b',
      'props.admin',
      'user[admin]',
      'passwordhash',
      'password_hash',
      'username_folded',
      'User',
      'roles',
    ];
    const answer = await expectUntouched(userRow(owner.id), () =>
      owner.call.put(`/users/${owner.id}`, Object.fromEntries(names.map((name) => [name, true]))),
    );
    expect(answer.status).toBe(200);
    expect(warned(answer)).toEqual(names.map((name) => `400 ${name}`));
    // Nested under an envelope, as a client might send back what it has read.
    const nested = await expectUntouched(userRow(owner.id), () =>
      owner.call.put(`/users/${owner.id}`, {
        props: { admin: true, realName: 'x' },
        meta: { isOwner: true },
      }),
    );
    expect(warned(nested)).toEqual(['400 props', '400 meta']);
    expectList(await admin.call.get('/users?admin=true'), [admin.id]);
    // The first spelling that is right must not be lost beside the wrong ones.
    const mixed = await owner.call.put(`/users/${owner.id}`, { RealName: 'no', realName: 'yes' });
    expect(record(mixed).props.realName).toBe('yes');
  });

  it('MA-11: boolean role values are not coerced', async () => {
    const { other, admin } = people;
    // decisions.md §7: booleans also take the strings that `options` lists, so "false" is false.
    const put = (value: unknown) => admin.call.put(`/users/${other.id}`, { admin: value });
    const stored = async () => record(await admin.call.get(`/users/${other.id}`)).props.admin;
    expect((await put('false')).status).toBe(200);
    expect(await stored()).toBe(false);
    for (const value of [
      'true ',
      ' true',
      'TRUE',
      'True',
      't',
      'yes',
      'on',
      '1',
      '0',
      2,
      1,
      0,
      -1,
      {},
      [],
      [true],
      'null',
    ]) {
      expect([value, ...refusal(await put(value))]).toEqual([value, 422, 442, 'admin']);
      expect(await stored()).toBe(false);
    }
    for (const value of [null, '']) expect(refusal(await put(value))).toEqual([422, 441, 'admin']);
    expect(await stored()).toBe(false);
    // Positive controls.
    expect(record(await put('true')).props.admin).toBe(true);
    expect(record(await put(false)).props.admin).toBe(false);
    expect(record(await put(true)).props.admin).toBe(true);
    expect(record(await put('false')).props.admin).toBe(false);
  });

  it('MA-10 (beyond the cases): a login can’t name its session’s user, type or end', async () => {
    const { anon, owner, admin } = people;
    const answer = await anon.post('/sessions', {
      apiKey: owner.key.id,
      privateKey: owner.key.privateKey,
      sessionType: 'password',
      id: admin.sessionId,
      userId: admin.id,
      type: 'password',
      expiresAt: '9999-01-01T00:00:00.000Z',
      admin: true,
    });
    expect(answer.status).toBe(201);
    expect(warned(answer)).toEqual(['400 id', '400 userId', '400 type', '400 expiresAt', '400 admin']);
    expect(record(answer).props).toMatchObject({ userId: owner.id, type: 'apiKey' });
    expect(record(answer).props.id).not.toBe(admin.sessionId);
    expect(Date.parse(String(record(answer).props.expiresAt))).toBeLessThan(Date.now() + 31 * 86_400_000);
    for (const path of [`/sessions/${owner.sessionId}`, '/sessions']) {
      expect((await owner.call.put(path, { userId: admin.id })).status).toBe(405);
    }
    expect(record(await owner.call.get('/users/whoami')).props).toMatchObject({ id: owner.id, admin: false });
  });

  it('MA-12 (beyond the cases): a faulty body changes nothing of it, and names the first prop', async () => {
    const { owner } = people;
    const answer = await expectUntouched(thingRow(olives.thing), () =>
      owner.call.put(`/dummythings/${olives.thing}`, {
        amount: 'x',
        name: 'new',
        colour: 'pink',
        hiddenNote: 'h',
        active: 3,
      }),
    );
    expect(refusal(answer)).toEqual([422, 442, 'amount']);
    expect(warned(answer).sort()).toEqual(['403 hiddenNote', '442 active', '442 colour']);
  });
});

describe('ownership', () => {
  it('OW-01: a foreign user record can be neither changed nor deleted', async () => {
    const { anon, owner, other } = people;
    for (const [caller, status] of [
      [other.call, 403],
      [anon, 401],
    ] as const) {
      for (const write of [
        () => caller.put(`/users/${owner.id}`, { realName: 'hacked' }),
        () => caller.put(`/users/${owner.id}`, {}),
        () => caller.put(`/users/${owner.id}`, { nosuch: 1, email: 5 }),
        () => caller.put(`/users/${owner.id}`, { password: 'hacked hacked' }),
        () => caller.delete(`/users/${owner.id}`),
        () => caller.put(`/users/${owner.id}`, { realName: 'x' }, { headers: { 'if-match': '*' } }),
        () => caller.put(`/users/${owner.id}`, { realName: 'x' }, { headers: { 'if-match': '"x"' } }),
      ]) {
        const answer = await expectUntouched(userRow(owner.id), write);
        expect(refusal(answer)).toEqual([status, status, null]);
        expectAbsent(answer, [owner.email, owner.realName]);
      }
    }
    expect(await login({ login: owner.username, password: PASSWORD })).toEqual([201, undefined]);
    expect(record(await owner.call.get(`/users/${owner.id}`)).props.realName).toBe('Olive Owner');
  });

  it('OW-01: foreign rows that are hidden are 404 for every verb, as if they did not exist', async () => {
    const { anon, other } = people;
    for (const [path, kind, table, id, body] of [
      ['/dummyinvoices', 'DummyInvoice', 'dummyinvoices', olives.invoice, { title: 'hacked' }],
      ['/dummyremarks', 'DummyRemark', 'dummyremarks', olives.remark, { text: 'hacked' }],
      ['/apikeys', 'APIKey', 'apikeys', people.owner.key.id, { name: 'hacked' }],
    ] as const) {
      for (const caller of [anon, other.call]) {
        for (const write of [
          (target: string) => caller.put(`${path}/${target}`, body),
          (target: string) => caller.put(`${path}/${target}`, { id: 5, title: 7 }),
          (target: string) => caller.delete(`${path}/${target}`),
          (target: string) => caller.put(`${path}/${target}`, body, { headers: { 'if-match': '"x"' } }),
        ]) {
          const answer = await expectUntouched([kind, table, id], () => write(id));
          expect(refusal(answer)).toEqual([404, 404, null]);
          const none = await write(unusedId(service, kind));
          expect(none.body).toEqual(answer.body);
        }
      }
    }
  });

  it('OW-03: there is no bulk deletion of a child list', async () => {
    // The case does not apply while there is none; 405 with Allow says so.
    const { anon, owner, other } = people;
    for (const path of [
      `/users/${owner.id}/apikeys`,
      `/dummyinvoices/${olives.invoice}/lineitems`,
      `/dummylineitems/${olives.lineItem}/remarks`,
      '/dummythings',
      '/users',
    ]) {
      for (const caller of [anon, other.call, owner.call]) {
        const answer = await caller.delete(path);
        expect([path, answer.status, answer.headers.get('allow')]).toEqual([
          path,
          405,
          expect.stringContaining('GET'),
        ]);
      }
    }
    expect(await counts('apikeys', 'dummylineitems', 'dummyremarks', 'dummythings', 'users')).toEqual([
      3, 3, 2, 3, 3,
    ]);
  });

  it('OW-04: ownership is inherited from a parent', async () => {
    const { anon, owner, other, admin } = people;
    const put = (caller: Caller, label: string) =>
      caller.put(`/dummylineitems/${olives.lineItem}`, { label });
    const target: Target = ['DummyLineItem', 'dummylineitems', olives.lineItem];
    expect((await put(owner.call, 'a')).status).toBe(200);
    expect((await expectUntouched(target, () => put(other.call, 'b'))).status).toBe(403);
    expect((await expectUntouched(target, () => put(anon, 'c'))).status).toBe(401);
    for (const [caller, status] of [
      [other.call, 403],
      [anon, 401],
    ] as const) {
      const removal = await expectUntouched(target, () =>
        caller.delete(`/dummylineitems/${olives.lineItem}`),
      );
      expect(removal.status).toBe(status);
    }
    const seen = record(await other.call.get(`/dummylineitems/${olives.lineItem}?includeMeta=true`));
    expect(Object.keys(seen.props).sort()).toEqual(['createdAt', 'id', 'invoiceId', 'label', 'updatedAt']);
    expect(seen.props.label).toBe('a');
    expect(seen.meta?.isOwner).toBe(false);
    // Two steps up, and by a role at the top.
    expect((await owner.call.put(`/dummyremarks/${olives.remark}`, { text: 'mine' })).status).toBe(200);
    expect((await admin.call.put(`/dummyremarks/${olives.remark}`, { text: 'by admin' })).status).toBe(200);
    expect(record(await owner.call.get(`/dummyremarks/${olives.remark}`)).props.text).toBe('by admin');
    // Ownership follows the parent at once, when it changes hands.
    await setColumn(
      service,
      ['DummyInvoice', 'dummyinvoices', olives.invoice],
      'userId',
      rowId(service, 'User', other.id),
    );
    expect((await put(owner.call, 'd')).status).toBe(403);
    expect((await put(other.call, 'e')).status).toBe(200);
    expect((await owner.call.get(`/dummyremarks/${olives.remark}`)).status).toBe(404);
    expect((await other.call.get(`/dummyremarks/${olives.remark}`)).status).toBe(200);
  });

  it('OW-06: a null owner is nobody’s', async () => {
    const { anon, other, admin } = people;
    const thing = thingRow(nobodys.thing);
    const item: Target = ['DummyLineItem', 'dummylineitems', nobodys.lineItem];
    for (const [caller, status] of [
      [anon, 401],
      [other.call, 403],
    ] as const) {
      for (const [target, path] of [
        [thing, `/dummythings/${nobodys.thing}`],
        [item, `/dummylineitems/${nobodys.lineItem}`],
      ] as const) {
        const put = await expectUntouched(target, () => caller.put(path, { name: 'x', label: 'x' }));
        expect(refusal(put)).toEqual([status, status, null]);
        expect((await expectUntouched(target, () => caller.delete(path))).status).toBe(status);
        const seen = record(await caller.get(`${path}?includeMeta=true`));
        expect(seen.meta?.isOwner).toBe(false);
        expect(Object.keys(seen.props).filter((prop) => ['secret', 'score', 'price'].includes(prop))).toEqual(
          [],
        );
      }
    }
    expectList(await other.call.get('/dummythings?secret=secret-nobody'), []);
    expectList(await other.call.get('/dummythings?search=secret-nobody'), []);
    // No inherited right, not even for the role at the end of a broken path …
    expect(
      (await expectUntouched(item, () => admin.call.put(`/dummylineitems/${nobodys.lineItem}`, {}))).status,
    ).toBe(403);
    // … but a role of the kind's own owner list owns every row.
    expect((await admin.call.put(`/dummythings/${nobodys.thing}`, { name: 'adopted' })).status).toBe(200);
  });

  it('OW-06: nobody can make what it would not own', async () => {
    const { owner, other, admin, anon } = people;
    const before = await counts('dummythings', 'dummylineitems', 'dummyinvoices', 'dummyremarks');
    expect((await owner.call.post('/dummythings', { name: 'x', userId: null })).status).toBe(403);
    expect((await owner.call.post('/dummylineitems', { label: 'x' })).status).toBe(403);
    expect((await owner.call.post('/dummylineitems', { label: 'x', invoiceId: null })).status).toBe(403);
    expect((await admin.call.post('/dummylineitems', { label: 'x' })).status).toBe(403);
    expect(refusal(await owner.call.post('/dummyinvoices', { title: 'x', userId: null }))).toEqual([
      422,
      441,
      'userId',
    ]);
    expect(refusal(await owner.call.post('/dummyremarks', { text: 'x' }))).toEqual([422, 441, 'lineItemId']);
    for (const path of [
      '/dummythings',
      '/dummyitems',
      '/dummyinvoices',
      '/dummylineitems',
      '/dummyremarks',
      '/dummytopics',
      '/apikeys',
    ]) {
      expect([path, ...refusal(await anon.post(path, { name: 'x', title: 'x', category: 'Food' }))]).toEqual([
        path,
        401,
        401,
        null,
      ]);
    }
    expect((await other.call.post('/dummytopics', { title: 'x' })).status).toBe(403);
    expect(await counts('dummythings', 'dummylineitems', 'dummyinvoices', 'dummyremarks')).toEqual(before);
  });

  it('OW-08: owning and privileged people are in fact allowed', async () => {
    const { anon, owner, other, admin } = people;
    expect((await owner.call.put(`/users/${owner.id}`, { realName: 'mine' })).status).toBe(200);
    const byAdmin = await admin.call.put(`/users/${owner.id}`, { realName: 'by admin' });
    expect(record(byAdmin).props).toMatchObject({ id: owner.id, realName: 'by admin' });
    expect(record(await admin.call.put(`/users/${other.id}`, { developer: true })).props.developer).toBe(
      true,
    );
    expect(record(await owner.call.get(`/users/${owner.id}`)).props.realName).toBe('by admin');
    const seen = await anon.get(`/users/${owner.id}`);
    expect(seen.status).toBe(200);
    expectPublicUser(record(seen).props); // realName is no public prop, unlike `bio` of the case
    // The new role counts at once.
    expect((await other.call.post('/dummytopics', { title: 'by a developer' })).status).toBe(201);
    for (const [path, id] of [
      ['/dummyremarks', olives.remark],
      ['/dummylineitems', olives.lineItem],
      ['/dummyinvoices', olives.invoice],
      ['/dummythings', olives.thing],
      ['/apikeys', await made(owner.call, '/apikeys', { name: 'second' })],
    ] as const) {
      const removed = await owner.call.delete(`${path}/${id}?includeMeta=true`);
      expect([path, removed.status, idOf(removed), record(removed).meta?.deleted]).toEqual([
        path,
        200,
        id,
        true,
      ]);
      expect((await owner.call.get(`${path}/${id}`)).status).toBe(404);
      expect((await owner.call.delete(`${path}/${id}`)).status).toBe(404);
    }
    expect((await admin.call.delete(`/dummyinvoices/${ottos.invoice}`)).status).toBe(200);
    // Who deletes itself is gone, with everything that cascades, and its session with it.
    expect((await owner.call.delete(`/users/${owner.id}`)).status).toBe(200);
    expect((await anon.get(`/users/${owner.id}`)).status).toBe(404);
    expect((await owner.call.get('/users/whoami')).status).toBe(401);
  });

  it('OW-09: somebody else’s session can be neither read nor ended', async () => {
    const { anon, owner, other, admin } = people;
    for (const caller of [other.call, admin.call]) {
      for (const path of [`/sessions/${owner.sessionId}`, `/sessions/${owner.sessionId}/user`]) {
        const answer = await caller.get(path);
        expect(refusal(answer)).toEqual([404, 404, null]);
        expectAbsent(answer, [owner.id, owner.email]);
      }
      const ended = await caller.delete(`/sessions/${owner.sessionId}`);
      expect(refusal(ended)).toEqual([404, 404, null]);
      expect((await caller.delete('/sessions/vNoSuchSession')).body).toEqual(ended.body);
    }
    // Knowing the id is not having the cookie.
    expect((await anon.get(`/sessions/${owner.sessionId}`)).status).toBe(401);
    expect((await anon.delete(`/sessions/${owner.sessionId}`)).status).toBe(401);
    const me = await owner.call.get('/users/whoami');
    expect([me.status, idOf(me)]).toEqual([200, owner.id]);
    // Positive control.
    const own = await owner.call.get(`/sessions/${owner.sessionId}`);
    expect(record(own).props).toMatchObject({ id: owner.sessionId, userId: owner.id, type: 'apiKey' });
    expect((await other.call.get('/users/whoami')).status).toBe(200);
    // Sessions are never listed.
    expect((await admin.call.get('/sessions')).status).toBe(405);
  });

  it('OW-11: giving a record away needs rights on the receiving side', async () => {
    const { owner, other, admin } = people;
    for (const [target, path] of [
      [['DummyInvoice', 'dummyinvoices', olives.invoice], `/dummyinvoices/${olives.invoice}`],
      [thingRow(olives.thing), `/dummythings/${olives.thing}`],
      [['APIKey', 'apikeys', owner.key.id], `/apikeys/${owner.key.id}`],
    ] as const) {
      const answer = await expectUntouched(target, () => owner.call.put(path, { userId: other.id }));
      expect(refusal(answer)).toEqual([403, 403, 'userId']);
      expect(record(await admin.call.get(path)).props.userId).toBe(owner.id);
      // The own id may be given again; nothing changes.
      expect((await expectUntouched(target, () => owner.call.put(path, { userId: owner.id }))).status).toBe(
        200,
      );
    }
    // An inherited owner: into somebody else's invoice.
    const moved = await expectUntouched(['DummyLineItem', 'dummylineitems', olives.lineItem], () =>
      owner.call.put(`/dummylineitems/${olives.lineItem}`, { invoiceId: ottos.invoice }),
    );
    expect(refusal(moved)).toEqual([403, 403, 'invoiceId']);
    // Positive control: admin owns both sides.
    expect((await admin.call.put(`/dummyinvoices/${olives.invoice}`, { userId: other.id })).status).toBe(200);
    expectRows(await other.call.get('/dummyinvoices'), [olives.invoice, ottos.invoice]);
    expect((await owner.call.get(`/dummyinvoices/${olives.invoice}`)).status).toBe(404);
  });
});

describe('parent-hijack', () => {
  it('PH-01: no API key for another user', async () => {
    const { owner, other, admin } = people;
    const answer = await other.call.post('/apikeys', { name: 'evil', userId: owner.id });
    expect(refusal(answer)).toEqual([403, 403, 'userId']);
    expectAbsent(answer, ['privateKey', 'pk_']);
    expectList(await owner.call.get(`/users/${owner.id}/apikeys`), [owner.key.id]);
    expect(await count('apikeys')).toBe(3);
    // The user's id in other shapes is no way round.
    for (const userId of [rowId(service, 'User', owner.id), Number(rowId(service, 'User', owner.id))]) {
      expect(refusal(await other.call.post('/apikeys', { name: 'evil', userId }))).toEqual([
        422,
        442,
        'userId',
      ]);
    }
    // Positive controls: the own id, none at all, and an admin for another.
    const own = await other.call.post('/apikeys', { name: 'own', userId: other.id });
    expect(record(own).props.userId).toBe(other.id);
    expect(record(await other.call.post('/apikeys', { name: 'own2' })).props.userId).toBe(other.id);
    const given = await admin.call.post('/apikeys', { name: 'given', userId: owner.id });
    expect(record(given).props.userId).toBe(owner.id);
    expect(column(await owner.call.get('/apikeys'), 'name')).toEqual(['alpha', 'given']);
  });

  it('PH-03: a record can’t be hung under a foreign parent, on create or update', async () => {
    // Avatars come with files; line items and remarks have parents that the caller must own.
    const { owner, other, admin } = people;
    const second = await made(other.call, '/dummylineitems', { label: 'second', invoiceId: ottos.invoice });
    for (const [target, path, body] of [
      [
        ['DummyLineItem', 'dummylineitems', second],
        `/dummylineitems/${second}`,
        { invoiceId: olives.invoice },
      ],
      [
        ['DummyRemark', 'dummyremarks', ottos.remark],
        `/dummyremarks/${ottos.remark}`,
        { lineItemId: olives.lineItem },
      ],
      [thingRow(ottos.thing), `/dummythings/${ottos.thing}`, { userId: owner.id }],
    ] as const) {
      const [prop] = Object.keys(body);
      const answer = await expectUntouched(target, () => other.call.put(path, body));
      expect(refusal(answer)).toEqual([403, 403, prop]);
      expectAbsent(answer, ['olive', 'Olive']);
    }
    for (const [path, body, prop] of [
      ['/dummylineitems', { label: 'evil', invoiceId: olives.invoice }, 'invoiceId'],
      ['/dummyremarks', { text: 'evil', lineItemId: olives.lineItem }, 'lineItemId'],
      ['/dummyremarks', { text: 'evil', lineItemId: nobodys.lineItem }, 'lineItemId'],
      ['/dummythings', { name: 'evil', userId: owner.id }, 'userId'],
      ['/dummyinvoices', { title: 'evil', userId: owner.id }, 'userId'],
    ] as const) {
      expect(refusal(await other.call.post(path, body))).toEqual([403, 403, prop]);
    }
    expectList(await owner.call.get(`/dummyinvoices/${olives.invoice}/lineitems`), [olives.lineItem]);
    expectList(await owner.call.get(`/dummylineitems/${olives.lineItem}/remarks`), [olives.remark]);
    expectList(await owner.call.get('/dummythings?name=evil'), []);
    // Positive controls: the own parent, and an admin's way under both.
    const third = await made(other.call, '/dummyinvoices', { title: 'third' });
    const moved = await other.call.put(`/dummylineitems/${second}`, { invoiceId: third });
    expect(record(moved).props.invoiceId).toBe(third);
    expect(
      (await admin.call.post('/dummylineitems', { label: 'ok', invoiceId: olives.invoice })).status,
    ).toBe(201);
  });

  it('PH-03: setting a parent does not tell whether a hidden one exists', async () => {
    const { other } = people;
    for (const [send, prop, ids] of [
      [
        (id: string) => other.call.post('/dummylineitems', { label: 'x', invoiceId: id }),
        'invoiceId',
        [olives.invoice, unusedId(service, 'DummyInvoice')],
      ],
      [
        (id: string) => other.call.put(`/dummylineitems/${ottos.lineItem}`, { invoiceId: id }),
        'invoiceId',
        [olives.invoice, unusedId(service, 'DummyInvoice')],
      ],
      [
        (id: string) => other.call.put(`/dummyremarks/${ottos.remark}`, { lineItemId: id }),
        'lineItemId',
        [olives.lineItem, unusedId(service, 'DummyLineItem')],
      ],
    ] as const) {
      const [hidden, none] = await Promise.all(ids.map(send));
      expect(hidden?.status).toBe(403);
      expect(refusal(hidden as Answer)).toEqual([403, 403, prop]);
      expect(none?.body).toEqual(hidden?.body);
    }
  });

  it('PH-03: skipOwnerCheck lets the relation be set, and gives no right to what it names', async () => {
    const { owner, other, admin } = people;
    const answer = await other.call.put(`/dummythings/${ottos.thing}?includeRelated=buddy`, {
      buddyId: owner.id,
    });
    expect(answer.status).toBe(200);
    expect(record(answer).props.buddyId).toBe(owner.id);
    expectPublicUser(record(answer).related?.buddy?.props ?? {});
    expect((await other.call.put(`/users/${owner.id}`, { realName: 'x' })).status).toBe(403);
    // The buddy gains nothing either.
    expect((await owner.call.put(`/dummythings/${ottos.thing}`, { name: 'x' })).status).toBe(403);
    expect(record(await owner.call.get(`/dummythings/${ottos.thing}`)).props).not.toHaveProperty('buddyId');
    // A topic names somebody's thing; a restrict relation holds it, and admins alone let go.
    const topic = await made(admin.call, '/dummytopics', { title: 't', thingId: olives.thing });
    const held = await expectUntouched(thingRow(olives.thing), () =>
      owner.call.delete(`/dummythings/${olives.thing}`),
    );
    expect(held.status).toBe(409);
    expectAbsent(held, [topic, 'opic']);
    expect((await admin.call.put(`/dummytopics/${topic}`, { thingId: null })).status).toBe(200);
    expect((await owner.call.delete(`/dummythings/${olives.thing}`)).status).toBe(200);
  });

  it('PH-04: the generic update does not bypass the import checks', async () => {
    const { other, admin } = people;
    const file = async (filename: string, contentType: string, status: string) => {
      const id = await made(other.call, '/objectfiles', { filename, contentType, sizeInBytes: 10 });
      await setColumn(service, ['ObjectFile', 'objectfiles', id], 'status', status);
      return id;
    };
    const refused: [string, number][] = [
      [await file('p.png', 'image/png', 'pending'), 409],
      [await file('v.png', 'image/png', 'verifyFailed'), 409],
      [await file('f.png', 'image/png', 'postProcessingFailed'), 409],
      [await file('d.png', 'image/png', 'ready'), 415],
    ];
    // As it may be once another relation takes such files.
    await setColumn(service, ['ObjectFile', 'objectfiles', refused[3]?.[0] ?? ''], 'extension', 'pdf');
    for (const [avatarId, status] of refused) {
      // Owners of everything are no exception: it is the relation's rule.
      for (const { call } of [other, admin]) {
        const answer = await expectUntouched(userRow(other.id), () =>
          call.put(`/users/${other.id}`, { avatarId }),
        );
        expect(refusal(answer)).toEqual([status, status, 'avatarId']);
      }
      // Neither does the create.
      const created = await admin.call.post('/users', {
        username: 'fresh',
        email: 'fresh@mail.test',
        password: PASSWORD,
        avatarId,
      });
      expect(refusal(created)).toEqual([status, status, 'avatarId']);
    }
    const good = await file('g.PNG', 'image/png', 'ready');
    expect(record(await other.call.put(`/users/${other.id}`, { avatarId: good })).props.avatarId).toBe(good);
  });

  it('PH-06: a relation value of the wrong kind or shape', async () => {
    const { owner, other } = people;
    const integer = Number(rowId(service, 'DummyInvoice', ottos.invoice));
    const wrong = [
      other.id,
      ottos.thing,
      ottos.lineItem,
      other.sessionId,
      'vNotAnId',
      'v',
      'null',
      'undefined',
      `${ottos.invoice} `,
      ` ${ottos.invoice}`,
      ottos.invoice.toUpperCase(),
      ottos.invoice.slice(1),
      String(integer),
      integer,
      0,
      -1,
      true,
      [ottos.invoice],
      { id: 1 },
      { id: ottos.invoice },
    ];
    const target: Target = ['DummyLineItem', 'dummylineitems', ottos.lineItem];
    for (const invoiceId of wrong) {
      const answer = await expectUntouched(target, () =>
        other.call.put(`/dummylineitems/${ottos.lineItem}`, { invoiceId }),
      );
      expect([invoiceId, ...refusal(answer)]).toEqual([invoiceId, 422, 442, 'invoiceId']);
      expect(refusal(await other.call.post('/dummylineitems', { invoiceId }))).toEqual([
        422,
        442,
        'invoiceId',
      ]);
    }
    // allowRealPubicId speaks of filters alone: not even there does a body take an integer.
    for (const userId of [integer, String(integer), Number(rowId(service, 'User', owner.id))]) {
      expect(refusal(await owner.call.put(`/dummythings/${olives.thing}`, { userId }))).toEqual([
        422,
        442,
        'userId',
      ]);
    }
    // A required relation can't be cleared; an optional one can, by null.
    for (const lineItemId of [null, '']) {
      expect(refusal(await other.call.put(`/dummyremarks/${ottos.remark}`, { lineItemId }))).toEqual([
        422,
        441,
        'lineItemId',
      ]);
    }
    expect((await other.call.put(`/dummythings/${ottos.thing}`, { buddyId: owner.id })).status).toBe(200);
    expect(
      record(await other.call.put(`/dummythings/${ottos.thing}`, { buddyId: null })).props.buddyId,
    ).toBeNull();
    // An empty text clears it or is refused, and never finds a row.
    const empty = await other.call.put(`/dummythings/${ottos.thing}`, { buddyId: '' });
    expect([200, 422]).toContain(empty.status);
    expect(record(await other.call.get(`/dummythings/${ottos.thing}`)).props.buddyId).toBeNull();
  });

  it('PH-06: the same integer in two tables is two ids', async () => {
    const { other } = people;
    const integer = '7000000001';
    const user = rowId(service, 'User', other.id);
    await service.sql(
      `INSERT INTO dummyinvoices (id, title, "userId") OVERRIDING SYSTEM VALUE VALUES ($1, 'x', $2)`,
      [integer, user],
    );
    await service.sql(
      `INSERT INTO dummythings (id, name, "userId") OVERRIDING SYSTEM VALUE VALUES ($1, 'x', $2)`,
      [integer, user],
    );
    const thing = (await other.call.get('/dummythings?name=x')).text;
    const thingId = /"id":"(v\w+)"/.exec(thing)?.[1] ?? '';
    const invoiceId = /"id":"(v\w+)"/.exec((await other.call.get('/dummyinvoices?title=x')).text)?.[1] ?? '';
    expect(thingId).not.toBe(invoiceId);
    expect((await other.call.get(`/dummyinvoices/${thingId}`)).status).toBe(404);
    expect((await other.call.get(`/dummyinvoices/${invoiceId}`)).status).toBe(200);
    const answer = await other.call.post('/dummylineitems', { label: 'x', invoiceId: thingId });
    expect(refusal(answer)).toEqual([422, 442, 'invoiceId']);
  });
});

describe('roles in writes', () => {
  it('OW-12 (beyond the cases): a developer makes topics without owning them', async () => {
    const { admin } = people;
    const dev = await addPerson(service, 'dev_u', 'dev@mail.test', 'Dev Eloper', { developer: true });
    const created = await dev.call.post('/dummytopics?includeMeta=true', { title: 'by dev', weight: 9 });
    expect(created.status).toBe(201);
    expect(warned(created)).toEqual(['403 weight']);
    expect(record(created).meta?.isOwner).toBe(false);
    expect(record(created).props).not.toHaveProperty('weight');
    const topic = idOf(created);
    const target: Target = ['DummyTopic', 'dummytopics', topic];
    expect((await rowOf(service, target))?.weight).toBe('1');
    const put = await expectUntouched(target, () =>
      dev.call.put(`/dummytopics/${topic}`, { title: 'again' }),
    );
    expect(put.status).toBe(403);
    expect((await expectUntouched(target, () => dev.call.delete(`/dummytopics/${topic}`))).status).toBe(403);
    expect(refusal(await admin.call.put(`/dummytopics/${topic}`, { weight: '9' }))).toEqual([
      422,
      442,
      'weight',
    ]);
    expect(record(await admin.call.put(`/dummytopics/${topic}`, { weight: 9 })).props.weight).toBe(9);
    // Thing.score lists developer under edit, but only owners write records.
    const score = await expectUntouched(thingRow(olives.thing), () =>
      dev.call.put(`/dummythings/${olives.thing}`, { score: 1 }),
    );
    expect(score.status).toBe(403);
  });
});
