import {
  tableOf,
  countRows,
  type RowRef,
  expectUntouched,
  userRow,
  thingRow,
  rowId,
  setColumn,
  idOfNoRow,
} from '../support/rows.js';
import {
  loginOutcome,
  valuesOf,
  expectAbsent,
  expectList,
  expectPublicUser,
  expectRows,
  idOf,
  recordOf,
  refusal,
} from '../support/answers.js';
import { describe, expect, it } from '@jest/globals';
import type { Answer, Caller } from '../support/client.js';
import { PASSWORD } from '../support/fixture.js';
import { createRecord } from '../support/belongings.js';
import { nobodys, olives, ottos, people, service, useBelongings } from '../support/kinds-service.js';

/* Writes to records of others, and to parents of others. */

useBelongings();

/** How many records of each kind there are, asked one after the other: they share a connection. */
async function counts(...kinds: readonly string[]): Promise<number[]> {
  const numbers: number[] = [];
  for (const kind of kinds) numbers.push(await countRows(service, tableOf(service, kind)));
  return numbers;
}

describe('ownership', () => {
  it('a foreign user record can be neither changed nor deleted', async () => {
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
        const answer = await expectUntouched(service, userRow(owner.id), write);
        expect(refusal(answer)).toEqual([status, status, null]);
        expectAbsent(answer, [owner.email, owner.realName]);
      }
    }
    expect(await loginOutcome(people.anon, { login: owner.username, password: PASSWORD })).toEqual([
      201,
      undefined,
    ]);
    expect(recordOf(await owner.call.get(`/users/${owner.id}`)).props.realName).toBe('Olive Owner');
  });

  it('foreign rows that are hidden are 404 for every verb, as if they did not exist', async () => {
    const { anon, other } = people;
    for (const [path, kind, id, body] of [
      ['/dummyinvoices', 'DummyInvoice', olives.invoice, { title: 'hacked' }],
      ['/dummyremarks', 'DummyRemark', olives.remark, { text: 'hacked' }],
      ['/apikeys', 'APIKey', people.owner.key.id, { name: 'hacked' }],
    ] as const) {
      for (const caller of [anon, other.call]) {
        for (const write of [
          (target: string) => caller.put(`${path}/${target}`, body),
          (target: string) => caller.put(`${path}/${target}`, { id: 5, title: 7 }),
          (target: string) => caller.delete(`${path}/${target}`),
          (target: string) => caller.put(`${path}/${target}`, body, { headers: { 'if-match': '"x"' } }),
        ]) {
          const answer = await expectUntouched(service, [kind, id], () => write(id));
          expect(refusal(answer)).toEqual([404, 404, null]);
          const none = await write(idOfNoRow(service, kind));
          expect(none.body).toEqual(answer.body);
        }
      }
    }
  });

  it('there is no bulk deletion of a child list', async () => {
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
    expect(await counts('APIKey', 'DummyLineItem', 'DummyRemark', 'DummyThing', 'User')).toEqual([
      3, 3, 2, 3, 3,
    ]);
  });

  it('ownership is inherited from a parent', async () => {
    const { anon, owner, other, admin } = people;
    const put = (caller: Caller, label: string) =>
      caller.put(`/dummylineitems/${olives.lineItem}`, { label });
    const target: RowRef = ['DummyLineItem', olives.lineItem];
    expect((await put(owner.call, 'a')).status).toBe(200);
    expect((await expectUntouched(service, target, () => put(other.call, 'b'))).status).toBe(403);
    expect((await expectUntouched(service, target, () => put(anon, 'c'))).status).toBe(401);
    for (const [caller, status] of [
      [other.call, 403],
      [anon, 401],
    ] as const) {
      const removal = await expectUntouched(service, target, () =>
        caller.delete(`/dummylineitems/${olives.lineItem}`),
      );
      expect(removal.status).toBe(status);
    }
    const seen = recordOf(await other.call.get(`/dummylineitems/${olives.lineItem}?includeMeta=true`));
    expect(Object.keys(seen.props).sort()).toEqual(['createdAt', 'id', 'invoiceId', 'label', 'updatedAt']);
    expect(seen.props.label).toBe('a');
    expect(seen.meta?.isOwner).toBe(false);
    // Two steps up, and by a role at the top.
    expect((await owner.call.put(`/dummyremarks/${olives.remark}`, { text: 'mine' })).status).toBe(200);
    expect((await admin.call.put(`/dummyremarks/${olives.remark}`, { text: 'by admin' })).status).toBe(200);
    expect(recordOf(await owner.call.get(`/dummyremarks/${olives.remark}`)).props.text).toBe('by admin');
    // Ownership follows the parent at once, when it changes hands.
    await setColumn(service, ['DummyInvoice', olives.invoice], 'userId', rowId(service, 'User', other.id));
    expect((await put(owner.call, 'd')).status).toBe(403);
    expect((await put(other.call, 'e')).status).toBe(200);
    expect((await owner.call.get(`/dummyremarks/${olives.remark}`)).status).toBe(404);
    expect((await other.call.get(`/dummyremarks/${olives.remark}`)).status).toBe(200);
  });

  it('a record without an owner belongs to nobody', async () => {
    const { anon, other, admin } = people;
    const thing = thingRow(nobodys.thing);
    const item: RowRef = ['DummyLineItem', nobodys.lineItem];
    for (const [caller, status] of [
      [anon, 401],
      [other.call, 403],
    ] as const) {
      for (const [target, path] of [
        [thing, `/dummythings/${nobodys.thing}`],
        [item, `/dummylineitems/${nobodys.lineItem}`],
      ] as const) {
        const put = await expectUntouched(service, target, () => caller.put(path, { name: 'x', label: 'x' }));
        expect(refusal(put)).toEqual([status, status, null]);
        expect((await expectUntouched(service, target, () => caller.delete(path))).status).toBe(status);
        const seen = recordOf(await caller.get(`${path}?includeMeta=true`));
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
      (await expectUntouched(service, item, () => admin.call.put(`/dummylineitems/${nobodys.lineItem}`, {})))
        .status,
    ).toBe(403);
    // … but a role of the kind's own owner list owns every row.
    expect((await admin.call.put(`/dummythings/${nobodys.thing}`, { name: 'adopted' })).status).toBe(200);
  });

  it('nobody can make a record that they would not own', async () => {
    const { owner, other, admin, anon } = people;
    const before = await counts('DummyThing', 'DummyLineItem', 'DummyInvoice', 'DummyRemark');
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
    expect(await counts('DummyThing', 'DummyLineItem', 'DummyInvoice', 'DummyRemark')).toEqual(before);
  });

  it('owners and roles are allowed to write', async () => {
    const { anon, owner, other, admin } = people;
    expect((await owner.call.put(`/users/${owner.id}`, { realName: 'mine' })).status).toBe(200);
    const byAdmin = await admin.call.put(`/users/${owner.id}`, { realName: 'by admin' });
    expect(recordOf(byAdmin).props).toMatchObject({ id: owner.id, realName: 'by admin' });
    expect(recordOf(await admin.call.put(`/users/${other.id}`, { developer: true })).props.developer).toBe(
      true,
    );
    expect(recordOf(await owner.call.get(`/users/${owner.id}`)).props.realName).toBe('by admin');
    const seen = await anon.get(`/users/${owner.id}`);
    expect(seen.status).toBe(200);
    expectPublicUser(recordOf(seen).props); // realName is no public prop, unlike `bio` of the case
    // The new role counts at once.
    expect((await other.call.post('/dummytopics', { title: 'by a developer' })).status).toBe(201);
    for (const [path, id] of [
      ['/dummyremarks', olives.remark],
      ['/dummylineitems', olives.lineItem],
      ['/dummyinvoices', olives.invoice],
      ['/dummythings', olives.thing],
      ['/apikeys', await createRecord(owner.call, '/apikeys', { name: 'second' })],
    ] as const) {
      const removed = await owner.call.delete(`${path}/${id}?includeMeta=true`);
      expect([path, removed.status, idOf(removed), recordOf(removed).meta?.deleted]).toEqual([
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

  it('somebody else’s session can be neither read nor ended', async () => {
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
    expect(recordOf(own).props).toMatchObject({ id: owner.sessionId, userId: owner.id, type: 'apiKey' });
    expect((await other.call.get('/users/whoami')).status).toBe(200);
    // Sessions are never listed.
    expect((await admin.call.get('/sessions')).status).toBe(405);
  });

  it('giving a record away needs rights on the receiving side', async () => {
    const { owner, other, admin } = people;
    for (const [target, path] of [
      [['DummyInvoice', olives.invoice], `/dummyinvoices/${olives.invoice}`],
      [thingRow(olives.thing), `/dummythings/${olives.thing}`],
      [['APIKey', owner.key.id], `/apikeys/${owner.key.id}`],
    ] as const) {
      const answer = await expectUntouched(service, target, () => owner.call.put(path, { userId: other.id }));
      expect(refusal(answer)).toEqual([403, 403, 'userId']);
      expect(recordOf(await admin.call.get(path)).props.userId).toBe(owner.id);
      // The own id may be given again; nothing changes.
      expect(
        (await expectUntouched(service, target, () => owner.call.put(path, { userId: owner.id }))).status,
      ).toBe(200);
    }
    // An inherited owner: into somebody else's invoice.
    const moved = await expectUntouched(service, ['DummyLineItem', olives.lineItem], () =>
      owner.call.put(`/dummylineitems/${olives.lineItem}`, { invoiceId: ottos.invoice }),
    );
    expect(refusal(moved)).toEqual([403, 403, 'invoiceId']);
    // Positive control: admin owns both sides.
    expect((await admin.call.put(`/dummyinvoices/${olives.invoice}`, { userId: other.id })).status).toBe(200);
    expectRows(await other.call.get('/dummyinvoices'), [olives.invoice, ottos.invoice]);
    expect((await owner.call.get(`/dummyinvoices/${olives.invoice}`)).status).toBe(404);
  });
});

describe('records below parents of other users', () => {
  it('nobody makes an API key for another user', async () => {
    const { owner, other, admin } = people;
    const answer = await other.call.post('/apikeys', { name: 'evil', userId: owner.id });
    expect(refusal(answer)).toEqual([403, 403, 'userId']);
    expectAbsent(answer, ['privateKey', 'pk_']);
    expectList(await owner.call.get(`/users/${owner.id}/apikeys`), [owner.key.id]);
    expect(await countRows(service, 'apikeys')).toBe(3);
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
    expect(recordOf(own).props.userId).toBe(other.id);
    expect(recordOf(await other.call.post('/apikeys', { name: 'own2' })).props.userId).toBe(other.id);
    const given = await admin.call.post('/apikeys', { name: 'given', userId: owner.id });
    expect(recordOf(given).props.userId).toBe(owner.id);
    expect(valuesOf(await owner.call.get('/apikeys'), 'name')).toEqual(['alpha', 'given']);
  });

  it('a create or update can’t name the parent of another user', async () => {
    // Avatars come with files; line items and remarks have parents that the caller must own.
    const { owner, other, admin } = people;
    const second = await createRecord(other.call, '/dummylineitems', {
      label: 'second',
      invoiceId: ottos.invoice,
    });
    for (const [target, path, body] of [
      [['DummyLineItem', second], `/dummylineitems/${second}`, { invoiceId: olives.invoice }],
      [['DummyRemark', ottos.remark], `/dummyremarks/${ottos.remark}`, { lineItemId: olives.lineItem }],
      [thingRow(ottos.thing), `/dummythings/${ottos.thing}`, { userId: owner.id }],
    ] as const) {
      const [prop] = Object.keys(body);
      const answer = await expectUntouched(service, target, () => other.call.put(path, body));
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
    const third = await createRecord(other.call, '/dummyinvoices', { title: 'third' });
    const moved = await other.call.put(`/dummylineitems/${second}`, { invoiceId: third });
    expect(recordOf(moved).props.invoiceId).toBe(third);
    expect(
      (await admin.call.post('/dummylineitems', { label: 'ok', invoiceId: olives.invoice })).status,
    ).toBe(201);
  });

  it('setting a parent does not tell whether a hidden one exists', async () => {
    const { other } = people;
    for (const [send, prop, ids] of [
      [
        (id: string) => other.call.post('/dummylineitems', { label: 'x', invoiceId: id }),
        'invoiceId',
        [olives.invoice, idOfNoRow(service, 'DummyInvoice')],
      ],
      [
        (id: string) => other.call.put(`/dummylineitems/${ottos.lineItem}`, { invoiceId: id }),
        'invoiceId',
        [olives.invoice, idOfNoRow(service, 'DummyInvoice')],
      ],
      [
        (id: string) => other.call.put(`/dummyremarks/${ottos.remark}`, { lineItemId: id }),
        'lineItemId',
        [olives.lineItem, idOfNoRow(service, 'DummyLineItem')],
      ],
    ] as const) {
      const [hidden, none] = await Promise.all(ids.map(send));
      expect(hidden?.status).toBe(403);
      expect(refusal(hidden as Answer)).toEqual([403, 403, prop]);
      expect(none?.body).toEqual(hidden?.body);
    }
  });

  it('skipOwnerCheck lets the relation be set, and gives no right to what it names', async () => {
    const { owner, other, admin } = people;
    const answer = await other.call.put(`/dummythings/${ottos.thing}?includeRelated=buddy`, {
      buddyId: owner.id,
    });
    expect(answer.status).toBe(200);
    expect(recordOf(answer).props.buddyId).toBe(owner.id);
    expectPublicUser(recordOf(answer).related?.buddy?.props ?? {});
    expect((await other.call.put(`/users/${owner.id}`, { realName: 'x' })).status).toBe(403);
    // The buddy gains nothing either.
    expect((await owner.call.put(`/dummythings/${ottos.thing}`, { name: 'x' })).status).toBe(403);
    expect(recordOf(await owner.call.get(`/dummythings/${ottos.thing}`)).props).not.toHaveProperty('buddyId');
    // A topic names somebody's thing; a restrict relation holds it, and admins alone let go.
    const topic = await createRecord(admin.call, '/dummytopics', { title: 't', thingId: olives.thing });
    const held = await expectUntouched(service, thingRow(olives.thing), () =>
      owner.call.delete(`/dummythings/${olives.thing}`),
    );
    expect(held.status).toBe(409);
    expectAbsent(held, [topic, 'opic']);
    expect((await admin.call.put(`/dummytopics/${topic}`, { thingId: null })).status).toBe(200);
    expect((await owner.call.delete(`/dummythings/${olives.thing}`)).status).toBe(200);
  });

  it('an update does not avoid the checks of an import', async () => {
    const { other, admin } = people;
    const file = async (filename: string, contentType: string, status: string) => {
      const id = await createRecord(other.call, '/objectfiles', { filename, contentType, sizeInBytes: 10 });
      await setColumn(service, ['ObjectFile', id], 'status', status);
      return id;
    };
    const refused: [string, number][] = [
      [await file('p.png', 'image/png', 'pending'), 409],
      [await file('v.png', 'image/png', 'verifyFailed'), 409],
      [await file('f.png', 'image/png', 'postProcessingFailed'), 409],
      [await file('d.png', 'image/png', 'ready'), 415],
    ];
    // As it may be once another relation takes such files.
    await setColumn(service, ['ObjectFile', refused[3]?.[0] ?? ''], 'extension', 'pdf');
    for (const [avatarId, status] of refused) {
      // Owners of everything are no exception: it is the relation's rule.
      for (const { call } of [other, admin]) {
        const answer = await expectUntouched(service, userRow(other.id), () =>
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
    expect(recordOf(await other.call.put(`/users/${other.id}`, { avatarId: good })).props.avatarId).toBe(
      good,
    );
  });

  it('the value of a relation must be the id of a record of its kind', async () => {
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
    const target: RowRef = ['DummyLineItem', ottos.lineItem];
    for (const invoiceId of wrong) {
      const answer = await expectUntouched(service, target, () =>
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
      recordOf(await other.call.put(`/dummythings/${ottos.thing}`, { buddyId: null })).props.buddyId,
    ).toBeNull();
    // An empty text clears it or is refused, and never finds a row.
    const empty = await other.call.put(`/dummythings/${ottos.thing}`, { buddyId: '' });
    expect([200, 422]).toContain(empty.status);
    expect(recordOf(await other.call.get(`/dummythings/${ottos.thing}`)).props.buddyId).toBeNull();
  });

  it('the same integer in two tables is two ids', async () => {
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
