import {
  loginOutcome,
  expectAbsent,
  expectList,
  idOf,
  recordOf,
  refusal,
  warningsOf,
} from '../support/answers.js';
import { type RowRef, expectUntouched, userRow, thingRow, rowOf, setColumn } from '../support/rows.js';
import { describe, expect, it } from '@jest/globals';
import { addPerson, PASSWORD } from '../support/fixture.js';
import { createRecord } from '../support/belongings.js';
import { olives, ottos, people, service, useBelongings } from '../support/kinds-service.js';

/* Props that a caller may not set, whatever the body looks like. */

useBelongings();

describe('props that the caller may not set', () => {
  it('a user can’t make itself administrator', async () => {
    const { owner, admin } = people;
    for (const value of [true, 'true']) {
      const answer = await owner.call.put(`/users/${owner.id}`, {
        admin: value,
        developer: value,
        verifiedEmail: value,
        realName: `New ${String(value)} ${typeof value}`,
      });
      expect(answer.status).toBe(200);
      expect(warningsOf(answer)).toEqual(['403 admin', '403 developer', '403 verifiedEmail']);
      expect(recordOf(answer).props).toMatchObject({
        realName: `New ${String(value)} ${typeof value}`,
        admin: false,
        developer: false,
        verifiedEmail: false,
      });
    }
    const me = recordOf(await owner.call.get('/users/whoami')).props;
    expect(me).toMatchObject({ id: owner.id, admin: false, developer: false, verifiedEmail: false });
    // /cronjobs comes later; rows of roles stay refused.
    expect((await owner.call.get('/dummytopics')).status).toBe(403);
    expectList(await admin.call.get('/users?admin=true'), [admin.id]);
    // Nothing but refused props: nothing changes, not even updatedAt.
    const nothing = await expectUntouched(service, userRow(owner.id), () =>
      owner.call.put(`/users/${owner.id}`, { admin: true }),
    );
    expect([nothing.status, warningsOf(nothing)]).toEqual([200, ['403 admin']]);
  });

  it('sign-up never sets a role, whoever is logged in', async () => {
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
      expect(warningsOf(answer)).toEqual(['403 admin', '403 developer', '403 verifiedEmail']);
      const stored = recordOf(await admin.call.get(`/users/${idOf(answer)}`)).props;
      expect(stored).toMatchObject({ username: name, admin: false, developer: false, verifiedEmail: false });
    }
    expectList(await admin.call.get('/users?admin=true'), [admin.id]);
  });

  it('id, createdAt and updatedAt can’t be written', async () => {
    const { owner, other, admin } = people;
    const old = recordOf(await owner.call.get(`/users/${owner.id}`)).props;
    const started = Date.now();
    const answer = await expectUntouched(service, userRow(other.id), () =>
      owner.call.put(`/users/${owner.id}`, {
        id: other.id,
        createdAt: '2001-01-01T00:00:00.000Z',
        updatedAt: '2001-01-01T00:00:00.000Z',
        realName: 'b',
      }),
    );
    expect(answer.status).toBe(200);
    expect(warningsOf(answer)).toEqual(['403 id', '403 createdAt', '403 updatedAt']);
    const now = recordOf(await owner.call.get(`/users/${owner.id}`)).props;
    expect(now).toMatchObject({ id: owner.id, createdAt: old.createdAt, realName: 'b' });
    expect(Date.parse(String(now.updatedAt))).toBeGreaterThanOrEqual(started - 2000);
    expect(recordOf(await admin.call.get(`/users/${other.id}`)).props.realName).toBe('Otto Other');
    // The same on create, and for a date that only the service sets.
    const thing = await owner.call.post('/dummythings', {
      id: olives.thing,
      createdAt: '2001-01-01T00:00:00.000Z',
      updatedAt: '2001-01-01T00:00:00.000Z',
      touchedAt: '2001-01-01T00:00:00.000Z',
      name: 'n',
    });
    expect(thing.status).toBe(201);
    expect(warningsOf(thing)).toEqual(['403 id', '403 createdAt', '403 updatedAt', '403 touchedAt']);
    expect(idOf(thing)).not.toBe(olives.thing);
    expect(recordOf(thing).props.touchedAt).toBeNull();
    expect(thing.text).not.toContain('2001-');
  });

  it('props without a right to edit stay as they are, on create and update', async () => {
    const { owner, admin } = people;
    const body = { hiddenNote: 'h', stamp: 's', touchedAt: '2001-01-01T00:00:00.000Z', name: 'n' };
    for (const caller of [owner.call, admin.call]) {
      const created = await caller.post('/dummythings', body);
      expect(created.status).toBe(201);
      expect(warningsOf(created)).toEqual(['403 hiddenNote', '403 stamp', '403 touchedAt']);
      const changed = await caller.put(`/dummythings/${idOf(created)}`, { ...body, name: 'n2' });
      expect(changed.status).toBe(200);
      expect(warningsOf(changed)).toEqual(['403 hiddenNote', '403 stamp', '403 touchedAt']);
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
    expect([item.status, warningsOf(item)]).toEqual([201, ['403 userId']]);
    expect(recordOf(item).props.userId).toBe(owner.id);
    // A child relation is no prop to set.
    const invoice = await owner.call.put(`/dummyinvoices/${olives.invoice}`, { lineItems: [ottos.lineItem] });
    expect([invoice.status, warningsOf(invoice)]).toEqual([200, ['403 lineItems']]);
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
        const read = recordOf(await caller.get(path)).props;
        const answer = await caller.put(path, read);
        expect([path, answer.status, warningsOf(answer)]).toEqual([path, 200, []]);
        // `updatedAt` too: nothing was changed.
        expect(recordOf(answer).props).toEqual(read);
      }
    }
    // Anything else is told, one by one.
    const read = recordOf(await owner.call.get(`/dummythings/${olives.thing}`)).props;
    const other = { ...read, id: ottos.thing, stamp: 'other', createdAt: '2001-01-01T00:00:00.000Z' };
    expect(warningsOf(await owner.call.put(`/dummythings/${olives.thing}`, other)).sort()).toEqual([
      '403 createdAt',
      '403 id',
      '403 stamp',
    ]);
    // Of what the caller may not see, the right value is told like a wrong one.
    for (const hiddenNote of ['hidden', 'wrong', null]) {
      const guess = await owner.call.put(`/dummythings/${olives.thing}`, { hiddenNote, guarded: null });
      expect(warningsOf(guess)).toEqual(['403 hiddenNote', '403 guarded']);
    }
  });

  it('an empty text in an optional prop is none: two records may have it, and it is null', async () => {
    const { owner } = people;
    const items: string[] = [];
    for (const name of ['a', 'b'])
      items.push(await createRecord(owner.call, '/dummyitems', { name, category: 'Food', code: name }));
    for (const id of items) {
      const emptied = await owner.call.put(`/dummyitems/${id}`, { code: '' });
      expect([emptied.status, recordOf(emptied).props.code]).toEqual([200, null]);
      expect(await rowOf(service, ['DummyItem', id])).toMatchObject({
        code: null,
        codeFolded: null,
      });
    }
    const made2 = await owner.call.post('/dummyitems', { name: 'c', category: 'Food', code: '' });
    expect([made2.status, recordOf(made2).props.code]).toEqual([201, null]);
    expect(refusal(await owner.call.put(`/dummyitems/${items[0] ?? ''}`, { name: '' }))).toEqual([
      422,
      441,
      'name',
    ]);
    // An empty text changes nothing where there was none.
    const before = recordOf(await owner.call.get(`/dummyitems/${items[0] ?? ''}`)).props.updatedAt;
    expect(
      recordOf(await owner.call.put(`/dummyitems/${items[0] ?? ''}`, { code: '' })).props.updatedAt,
    ).toBe(before);
  });

  it('the secret of a key can’t be chosen by the client', async () => {
    const { owner } = people;
    const chosen = 'pk_aaaaaaaaaaaa';
    const answer = await owner.call.post('/apikeys', {
      name: 'n',
      userId: owner.id,
      privateKey: chosen,
      apiKey: 'mine',
    });
    expect(answer.status).toBe(201);
    expect(
      warningsOf(answer).filter((text) => text === '400 privateKey' || text === '400 apiKey'),
    ).toHaveLength(2);
    const key = idOf(answer);
    const privateKey = String(recordOf(answer).meta?.privateKey);
    expect(privateKey).not.toBe(chosen);
    const changed = await owner.call.put(`/apikeys/${key}?includeMeta=true`, {
      privateKey: 'pk_bbbbbbbbbbbb',
    });
    expect([changed.status, warningsOf(changed)]).toEqual([200, ['400 privateKey']]);
    expectAbsent(changed, ['pk_']);
    expect(await loginOutcome(people.anon, { apiKey: key, privateKey: chosen })).toEqual([401, 454]);
    expect(await loginOutcome(people.anon, { apiKey: key, privateKey: 'pk_bbbbbbbbbbbb' })).toEqual([
      401, 454,
    ]);
    expect(await loginOutcome(people.anon, { apiKey: key, privateKey })).toEqual([201, undefined]);
  });

  it('verifiedEmail falls when the address changes and can’t be set back in the same call', async () => {
    const { owner, admin } = people;
    const verify = () => setColumn(service, userRow(owner.id), 'verifiedEmail', true);
    const stored = async () => {
      const { email, verifiedEmail } = recordOf(await admin.call.get(`/users/${owner.id}`)).props;
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
    expect([changed.status, warningsOf(changed)]).toEqual([200, ['403 verifiedEmail']]);
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

  it('an object in place of a value never sets other columns', async () => {
    const { owner, admin } = people;
    const shapes = [{ realName: 'x', admin: true }, { set: 'x' }, ['x'], [], {}, true, 1, [['a', 'b']]];
    for (const realName of shapes) {
      const answer = await expectUntouched(service, userRow(owner.id), () =>
        owner.call.put(`/users/${owner.id}`, { realName }),
      );
      expect([realName, ...refusal(answer)]).toEqual([realName, 422, 442, 'realName']);
    }
    expect(recordOf(await admin.call.get(`/users/${owner.id}`)).props).toMatchObject({
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
        const answer = await expectUntouched(service, thingRow(olives.thing), () =>
          owner.call.put(`/dummythings/${olives.thing}`, { [prop]: value }),
        );
        expect([prop, ...refusal(answer)]).toEqual([prop, 422, 442, prop]);
        expect(refusal(await owner.call.post('/dummythings', { [prop]: value }))).toEqual([422, 442, prop]);
      }
    }
    // json is the one type for it, and comes back as it was sent.
    const data = { name: 'x', userId: 1, nested: [{ admin: true }] };
    const stored = await owner.call.put(`/dummythings/${olives.thing}`, { data });
    expect(recordOf(stored).props).toMatchObject({ data, name: 'Thing of olive', userId: owner.id });
  });

  it('other spellings of privileged props mean nothing', async () => {
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
    const answer = await expectUntouched(service, userRow(owner.id), () =>
      owner.call.put(`/users/${owner.id}`, Object.fromEntries(names.map((name) => [name, true]))),
    );
    expect(answer.status).toBe(200);
    expect(warningsOf(answer)).toEqual(names.map((name) => `400 ${name}`));
    // Nested under an envelope, as a client might send back what it has read.
    const nested = await expectUntouched(service, userRow(owner.id), () =>
      owner.call.put(`/users/${owner.id}`, {
        props: { admin: true, realName: 'x' },
        meta: { isOwner: true },
      }),
    );
    expect(warningsOf(nested)).toEqual(['400 props', '400 meta']);
    expectList(await admin.call.get('/users?admin=true'), [admin.id]);
    // The first spelling that is right must not be lost beside the wrong ones.
    const mixed = await owner.call.put(`/users/${owner.id}`, { RealName: 'no', realName: 'yes' });
    expect(recordOf(mixed).props.realName).toBe('yes');
  });

  it('roles take booleans alone, not what resembles them', async () => {
    const { other, admin } = people;
    // Booleans also take the strings that `options` lists, so "false" is false.
    const put = (value: unknown) => admin.call.put(`/users/${other.id}`, { admin: value });
    const stored = async () => recordOf(await admin.call.get(`/users/${other.id}`)).props.admin;
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
    expect(recordOf(await put('true')).props.admin).toBe(true);
    expect(recordOf(await put(false)).props.admin).toBe(false);
    expect(recordOf(await put(true)).props.admin).toBe(true);
    expect(recordOf(await put('false')).props.admin).toBe(false);
  });

  it('a login can’t name its session’s user, type or end', async () => {
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
    expect(warningsOf(answer)).toEqual(['400 id', '400 userId', '400 type', '400 expiresAt', '400 admin']);
    expect(recordOf(answer).props).toMatchObject({ userId: owner.id, type: 'apiKey' });
    expect(recordOf(answer).props.id).not.toBe(admin.sessionId);
    expect(Date.parse(String(recordOf(answer).props.expiresAt))).toBeLessThan(Date.now() + 31 * 86_400_000);
    for (const path of [`/sessions/${owner.sessionId}`, '/sessions']) {
      expect((await owner.call.put(path, { userId: admin.id })).status).toBe(405);
    }
    expect(recordOf(await owner.call.get('/users/whoami')).props).toMatchObject({
      id: owner.id,
      admin: false,
    });
  });

  it('a faulty body changes nothing of it, and names the first prop', async () => {
    const { owner } = people;
    const answer = await expectUntouched(service, thingRow(olives.thing), () =>
      owner.call.put(`/dummythings/${olives.thing}`, {
        amount: 'x',
        name: 'new',
        colour: 'pink',
        hiddenNote: 'h',
        active: 3,
      }),
    );
    expect(refusal(answer)).toEqual([422, 442, 'amount']);
    expect(warningsOf(answer).sort()).toEqual(['403 hiddenNote', '442 active', '442 colour']);
  });
});

describe('writes of roles', () => {
  it('a developer makes topics without owning them', async () => {
    const { admin } = people;
    const dev = await addPerson(service, 'dev_u', 'dev@mail.test', 'Dev Eloper', { developer: true });
    const created = await dev.call.post('/dummytopics?includeMeta=true', { title: 'by dev', weight: 9 });
    expect(created.status).toBe(201);
    expect(warningsOf(created)).toEqual(['403 weight']);
    expect(recordOf(created).meta?.isOwner).toBe(false);
    expect(recordOf(created).props).not.toHaveProperty('weight');
    const topic = idOf(created);
    const target: RowRef = ['DummyTopic', topic];
    expect((await rowOf(service, target))?.weight).toBe('1');
    const put = await expectUntouched(service, target, () =>
      dev.call.put(`/dummytopics/${topic}`, { title: 'again' }),
    );
    expect(put.status).toBe(403);
    expect(
      (await expectUntouched(service, target, () => dev.call.delete(`/dummytopics/${topic}`))).status,
    ).toBe(403);
    expect(refusal(await admin.call.put(`/dummytopics/${topic}`, { weight: '9' }))).toEqual([
      422,
      442,
      'weight',
    ]);
    expect(recordOf(await admin.call.put(`/dummytopics/${topic}`, { weight: 9 })).props.weight).toBe(9);
    // Thing.score lists developer under edit, but only owners write records.
    const score = await expectUntouched(service, thingRow(olives.thing), () =>
      dev.call.put(`/dummythings/${olives.thing}`, { score: 1 }),
    );
    expect(score.status).toBe(403);
  });
});
