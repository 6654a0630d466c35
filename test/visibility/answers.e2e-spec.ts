import { userIds, addPerson, PASSWORD } from '../support/fixture.js';
import { describe, expect, it } from '@jest/globals';
import { Ids } from '../../src/record/ids/ids.js';
import type { Caller } from '../support/client.js';
import { expectSameAnswer } from '../support/hidden-values.js';
import { addBelongings, createRecord } from '../support/belongings.js';
import { rowId, setColumn, idOfNoRow } from '../support/rows.js';
import {
  valuesOf,
  expectAbsent,
  expectList,
  expectPublicUser,
  expectRows,
  idOf,
  listOf,
  recordOf,
  refusal,
  warningsOf,
} from '../support/answers.js';
import { olives, ottos, people, service, useBelongings } from '../support/kinds-service.js';

/* Which props, links, related records and warnings an answer holds, for each caller. */

useBelongings();

/** What nobody but owner and admin may read anywhere. */
const secretsOfOwner = () => [people.owner.email, people.owner.realName, 'secret-olive', 'Bill of olive'];

describe('what a caller sees of a record', () => {
  it('an anonymous caller sees the public props of a user only', async () => {
    const { anon, owner, other } = people;
    for (const caller of [anon, other.call]) {
      const one = await caller.get(
        `/users/${owner.id}?includeMeta=true&includeLinks=true&includeOptions=true`,
      );
      expect(one.status).toBe(200);
      expectPublicUser(recordOf(one).props);
      expect(recordOf(one).meta).toMatchObject({ kind: 'User', displayName: 'owner_u', isOwner: false });
      expect(Object.keys(recordOf(one).options ?? {}).filter((prop) => prop !== 'avatarId')).toEqual([]);
      expectAbsent(one, secretsOfOwner());
    }
    const all = await anon.get('/users?itemsPerPage=100&includeMeta=true');
    expectList(all, userIds(people));
    listOf(all).items.forEach(({ props }) => expectPublicUser(props));
    expect(listOf(all).items.map(({ meta }) => meta?.displayName)).toEqual(['owner_u', 'other_u', 'admin_u']);
    expectAbsent(all, [...secretsOfOwner(), 'mail.test', 'passwordHash', '$argon2']);
    // Without includeMeta not even the display name.
    expectAbsent(await anon.get(`/users/${owner.id}`), ['owner_u']);
  });

  it('owner and admin see what is theirs to see, and never a password', async () => {
    const { owner, other, admin } = people;
    const full = [
      'admin',
      'createdAt',
      'developer',
      'email',
      'id',
      'realName',
      'updatedAt',
      'useAsDisplayName',
      'username',
      'verifiedEmail',
    ];
    for (const caller of [owner.call, admin.call]) {
      const answer = await caller.get(`/users/${owner.id}`);
      const { props } = recordOf(answer);
      expect(
        Object.keys(props)
          .filter((key) => key !== 'avatarId')
          .sort(),
      ).toEqual(full);
      expect(props).toMatchObject({ email: owner.email, realName: 'Olive Owner', admin: false });
    }
    // In a list the own row is whole, the others are public.
    const all = await other.call.get('/users');
    expectList(all, userIds(people));
    expect(valuesOf(all, 'email')).toEqual([undefined, other.email, undefined]);
    expectAbsent(all, secretsOfOwner());
  });

  it('owner, stranger, anonymous caller and role each see their props of a row', async () => {
    const { anon, owner, other, admin } = people;
    const dev = await addPerson(service, 'dev_u', 'dev@mail.test', 'Dev Eloper', { developer: true });
    const hiddenOf = async (caller: typeof anon) => {
      const { props } = recordOf(await caller.get(`/dummythings/${olives.thing}`));
      expect(props.name).toBe('Thing of olive');
      return ['secret', 'guarded', 'score', 'buddyId'].filter((prop) => prop in props);
    };
    expect(await hiddenOf(anon)).toEqual([]);
    expect(await hiddenOf(other.call)).toEqual([]);
    expect(await hiddenOf(dev.call)).toEqual(['score']);
    // score lists owner under edit alone: whoever may edit a prop may view it.
    expect(await hiddenOf(owner.call)).toEqual(['secret', 'score', 'buddyId']);
    expect(await hiddenOf(admin.call)).toEqual(['secret', 'score', 'buddyId']);
    expect(valuesOf(await other.call.get('/dummythings'), 'secret')).toEqual([
      undefined,
      'secret-otto',
      undefined,
    ]);
    expect(valuesOf(await other.call.get('/dummylineitems'), 'price')).toEqual([undefined, 50, undefined]);
    expect(valuesOf(await admin.call.get('/dummylineitems'), 'price')).toEqual([7, 50, undefined]);
  });

  it('the answers of writes show what the caller may see, no more', async () => {
    const { anon, owner, admin } = people;
    const body = {
      username: 'fresh1',
      email: 'fresh1@mail.test',
      realName: 'Fresh One',
      password: 'hunter2 hunter2',
    };
    // Signing up makes no session: the answer is what the public sees.
    const signedUp = await anon.post('/users', body);
    expect(signedUp.status).toBe(201);
    expectPublicUser(recordOf(signedUp).props);
    expectAbsent(signedUp, ['fresh1@', 'Fresh One', 'hunter2']);
    const changed = await owner.call.put(`/users/${owner.id}?includeMeta=true`, {
      realName: 'Olive O.',
      password: 'hunter2 hunter2',
      currentPassword: PASSWORD,
    });
    expect(recordOf(changed).props).toMatchObject({ realName: 'Olive O.', email: owner.email });
    expectAbsent(changed, ['hunter2', 'password']);
    const removed = await admin.call.delete(`/users/${idOf(signedUp)}?includeMeta=true`);
    expect(recordOf(removed)).toMatchObject({
      props: { email: 'fresh1@mail.test' },
      meta: { deleted: true },
    });
    expectAbsent(removed, ['hunter2', 'password']);
    await setColumn(service, ['DummyThing', olives.thing], 'guarded', 'hidden-olive');
    expectAbsent(await owner.call.put(`/dummythings/${olives.thing}`, { name: 'New' }), ['hidden']);
    expectAbsent(await owner.call.delete(`/dummythings/${olives.thing}`), ['hidden']);
  });

  it('related records are filtered for the caller', async () => {
    const { anon, owner, other, admin } = people;
    for (const caller of [anon, other.call]) {
      for (const path of [
        `/dummythings/${olives.thing}?includeRelated=user&includeMeta=true&includeLinks=true`,
        `/dummythings?includeRelated=user&name=Thing%20of%20olive`,
      ]) {
        const answer = await caller.get(path);
        expect(answer.status).toBe(200);
        const envelope =
          path.includes('?name') || path.includes('&name') ? listOf(answer).items[0] : recordOf(answer);
        expectPublicUser(envelope?.related?.user?.props ?? {});
        expect(envelope?.related?.user?.props.id).toBe(owner.id);
        expectAbsent(answer, [owner.email, owner.realName, 'secret-olive']);
      }
      const parent = await caller.get(`/dummythings/${olives.thing}/user`);
      expect(idOf(parent)).toBe(owner.id);
      expectPublicUser(recordOf(parent).props);
    }
    for (const caller of [owner.call, admin.call]) {
      const answer = await caller.get(`/dummythings/${olives.thing}?includeRelated=user`);
      expect(recordOf(answer).related?.user?.props).toMatchObject({ id: owner.id, email: owner.email });
    }
    const mixed = await other.call.get('/dummythings?includeRelated=user');
    expect(listOf(mixed).items.map(({ related }) => related?.user?.props.email)).toEqual([
      undefined,
      other.email,
      undefined,
    ]);
    expect(listOf(mixed).items[2]?.related).toEqual({ user: null });
  });

  it('an unknown relation name, a child relation and a path are 442', async () => {
    const { anon, owner } = people;
    for (const name of ['nosuch', 'userId', 'User', 'apikeys', 'user.apikeys', '__proto__', 'user,nosuch']) {
      for (const caller of [anon, owner.call]) {
        const answer = await caller.get(`/dummythings/${olives.thing}?includeRelated=${name}`);
        expect([name, ...refusal(answer)]).toEqual([name, 422, 442, 'includeRelated']);
      }
    }
    expect(
      refusal(await owner.call.get(`/dummyinvoices/${olives.invoice}?includeRelated=lineItems`)),
    ).toEqual([422, 442, 'includeRelated']);
  });

  it('a related record that the caller may not see is withheld, with a warning', async () => {
    const { anon, owner, other } = people;
    for (const caller of [anon, other.call]) {
      const answer = await caller.get(`/dummylineitems/${olives.lineItem}?includeRelated=invoice`);
      expect(recordOf(answer).related).toEqual({ invoice: null });
      expect(warningsOf(answer)).toEqual(['403 invoice']);
      expectAbsent(answer, ['Bill of olive']);
      expect(refusal(await caller.get(`/dummylineitems/${olives.lineItem}/invoice`))).toEqual([
        404,
        404,
        null,
      ]);
    }
    // Its own invoice stands beside the withheld one.
    const mixed = await other.call.get('/dummylineitems?includeRelated=invoice');
    expect(listOf(mixed).items.map(({ related }) => related?.invoice?.props.title)).toEqual([
      undefined,
      'Bill of otto',
      undefined,
    ]);
    expectAbsent(mixed, ['Bill of olive']);
    // The relation itself is hidden: the same null, whether there is a buddy or not.
    await setColumn(
      service,
      ['DummyThing', olives.thing],
      'buddyId',
      rowId(service, 'User', people.admin.id),
    );
    const buddy = await anon.get('/dummythings?includeRelated=buddy');
    expect(listOf(buddy).items.map(({ related }) => related)).toEqual([
      { buddy: null },
      { buddy: null },
      { buddy: null },
    ]);
    expect(warningsOf(buddy)).toEqual(['403 buddy']);
    expectAbsent(buddy, [people.admin.id]);
    expect((await anon.get(`/dummythings/${olives.thing}/buddy`)).status).toBe(401);
    expect((await other.call.get(`/dummythings/${olives.thing}/buddy`)).status).toBe(403);
    const own = await owner.call.get(`/dummythings/${olives.thing}?includeRelated=buddy`);
    expect(recordOf(own).related?.buddy?.props.id).toBe(people.admin.id);
    expectPublicUser(recordOf(own).related?.buddy?.props ?? {});
    expect(recordOf(own).warnings).toBeUndefined();
    // Nor does it show because another row of the page, where the relation is seen, has the same one.
    await setColumn(service, ['DummyThing', ottos.thing], 'buddyId', rowId(service, 'User', people.admin.id));
    const same = await other.call.get('/dummythings?includeRelated=buddy');
    expect(listOf(same).items.map(({ related }) => related?.buddy?.props.id)).toEqual([
      undefined,
      people.admin.id,
      undefined,
    ]);
    expect(warningsOf(same)).toEqual(['403 buddy']);
  });

  it('API keys and their secrets are shown to their owner only, the secret once', async () => {
    const { anon, owner, other, admin } = people;
    const created = await owner.call.post('/apikeys', { name: 'n1', userId: owner.id });
    expect(created.status).toBe(201);
    const key = idOf(created);
    const secret = String(recordOf(created).meta?.privateKey);
    expect(secret).toMatch(/^pk_[0-9A-Za-z]{40,}$/);
    const mine = [
      await owner.call.get(`/apikeys/${key}?includeMeta=true`),
      await owner.call.get('/apikeys?includeMeta=true&itemsPerPage=100'),
      await owner.call.get(`/users/${owner.id}/apikeys?includeMeta=true`),
      await owner.call.put(`/apikeys/${key}?includeMeta=true`, { name: 'n2' }),
      await admin.call.get(`/apikeys/${key}?includeMeta=true&includeRelated=user`),
    ];
    for (const answer of mine) {
      expect(answer.status).toBe(200);
      expectAbsent(answer, [secret, secret.slice(3, 20), 'privateKey', 'secretHash']);
    }
    expectRows(await owner.call.get(`/users/${owner.id}/apikeys`), [owner.key.id, key]);
    for (const caller of [anon, other.call]) {
      await expectSameAnswer(caller, 404, [`/apikeys/${key}`, `/apikeys/${idOfNoRow(service, 'APIKey')}`]);
    }
    expect((await anon.get('/apikeys?itemsPerPage=100')).status).toBe(401);
    expectList(await other.call.get('/apikeys?itemsPerPage=100'), [other.key.id]);
    expect((await other.call.get(`/users/${owner.id}/apikeys`)).status).toBe(403);
    expect((await anon.get(`/users/${owner.id}/apikeys`)).status).toBe(401);
    expectAbsent(await owner.call.delete(`/apikeys/${key}?includeMeta=true`), [secret, 'privateKey']);
  });

  it('the pre-signed upload URL is in the answer to the create alone', async () => {
    const { anon, owner, other, admin } = people;
    const created = await owner.call.post('/objectfiles', {
      filename: 'a.png',
      contentType: 'image/png',
      sizeInBytes: 100,
    });
    expect(created.status).toBe(201);
    const file = idOf(created);
    const url = new URL(String(recordOf(created).meta?.presignedUrl));
    const parts = [
      url.pathname,
      url.searchParams.get('signature') ?? '',
      url.pathname.split('/').at(-1) ?? '',
    ];
    for (const part of parts) expect(part.length).toBeGreaterThan(40);
    const words = [...parts, 'presignedUrl', 'uploadHeaders', 'stagingKey'];
    const asked = `includeMeta=true&includeLinks=true&includeExtra=downloadUrl&includeRelated=user`;
    const mine = [
      await owner.call.get(`/objectfiles/${file}?${asked}`),
      await owner.call.get(`/objectfiles?${asked}`),
      await owner.call.get(`/users/${owner.id}/objectfiles?${asked}`),
      await owner.call.put(`/objectfiles/${file}?${asked}`, { presignedUrl: 'x' }),
      await admin.call.get(`/objectfiles/${file}?${asked}`),
    ];
    for (const answer of mine) {
      expect(answer.status).toBe(200);
      expect(answer.text).toContain(file);
      expectAbsent({ ...answer, text: answer.text.replace('"data":"presignedUrl"', '') }, words);
    }
    for (const caller of [anon, other.call]) {
      await expectSameAnswer(caller, 404, [
        `/objectfiles/${file}?includeMeta=true`,
        `/objectfiles/${idOfNoRow(service, 'ObjectFile')}?includeMeta=true`,
      ]);
    }
    expect((await anon.get(`/objectfiles?${asked}`)).status).toBe(401);
    expectList(await other.call.get(`/objectfiles?${asked}`), []);
    expect((await other.call.get(`/users/${owner.id}/objectfiles`)).status).toBe(403);
    expectAbsent(await owner.call.delete(`/objectfiles/${file}?includeMeta=true`), words);
    const log = service.log.join('\n');
    expect(log).toContain('/objectfiles');
    expect(parts.filter((part) => log.includes(part))).toEqual([]);
  });

  it('a change that drops the caller’s own rights is answered with the new rights', async () => {
    const { owner, other } = people;
    await setColumn(service, ['User', other.id], 'admin', true);
    expect(recordOf(await other.call.get(`/users/${owner.id}`)).props.email).toBe(owner.email);
    const demoted = await other.call.put(`/users/${other.id}?includeMeta=true&includeLinks=true`, {
      admin: false,
    });
    expect(demoted.status).toBe(200);
    expect(recordOf(demoted).props).toMatchObject({ admin: false, email: other.email });
    const after = await other.call.get(`/users/${owner.id}`);
    expectPublicUser(recordOf(after).props);
    expectAbsent(after, secretsOfOwner());
    expectList(await other.call.get('/dummyinvoices'), [ottos.invoice]);
    expect((await other.call.get('/dummytopics')).status).toBe(403);
    // The same by somebody else’s hand: roles are those of the user now, not at login.
    await setColumn(service, ['User', other.id], 'admin', true);
    expectList(await other.call.get('/dummyinvoices'), [olives.invoice, ottos.invoice]);
    await people.admin.call.put(`/users/${other.id}`, { admin: false });
    expectList(await other.call.get('/dummyinvoices'), [ottos.invoice]);
  });

  it('a record that is given up is answered as a stranger sees it', async () => {
    const { owner } = people;
    const given = await owner.call.put(`/dummythings/${olives.thing}?includeMeta=true`, {
      userId: null,
      secret: 'still-secret',
    });
    expect(given.status).toBe(200);
    expect(recordOf(given).props).toMatchObject({ id: olives.thing, userId: null });
    expect(recordOf(given).meta?.isOwner).toBe(false);
    expectAbsent(given, ['still-secret']);
    const moved = await owner.call.put(`/dummylineitems/${olives.lineItem}`, { invoiceId: null, price: 8 });
    expect(moved.status).toBe(200);
    expect(recordOf(moved).props).not.toHaveProperty('price');
  });

  it('the default display name is not the e-mail address', async () => {
    const { anon, admin } = people;
    for (const by of [admin.call, anon]) {
      const username = by === anon ? 'nick2' : 'nick1';
      const created = await by.post('/users?includeMeta=true', {
        username,
        email: `local.${username}.part@mail.test`,
        realName: 'Fresh One',
        password: PASSWORD,
      });
      expect(created.status).toBe(201);
      expect(recordOf(created).meta?.displayName).toBe(username);
      const seen = await anon.get(`/users/${idOf(created)}?includeMeta=true`);
      expect(recordOf(seen).meta?.displayName).toBe(username);
      expectAbsent(seen, ['local.', '@mail.test', 'Fresh One']);
    }
    // Only the user’s own choice makes it something else, and an empty choice falls back to the username.
    const { owner } = people;
    const display = async () =>
      recordOf(await anon.get(`/users/${owner.id}?includeMeta=true`)).meta?.displayName;
    await owner.call.put(`/users/${owner.id}`, { useAsDisplayName: 'realName' });
    expect(await display()).toBe('Olive Owner');
    await owner.call.put(`/users/${owner.id}`, { realName: null });
    expect(await display()).toBe('owner_u');
  });

  it('options, links and extras are filtered for the caller', async () => {
    const { anon, owner, other } = people;
    const options = async (caller: typeof anon, path: string) =>
      Object.keys((await caller.get(path)).body).sort();
    expect(await options(anon, '/dummythings/options')).toEqual(['active', 'colour']);
    expect((await options(owner.call, '/users/options')).filter((prop) => prop !== 'avatarId')).toEqual([
      'admin',
      'developer',
      'useAsDisplayName',
      'verifiedEmail',
    ]);
    const foreign = recordOf(
      await other.call.get(`/users/${owner.id}?includeOptions=true&includeLinks=true`),
    );
    expect(Object.keys(foreign.options ?? {}).filter((prop) => prop !== 'avatarId')).toEqual([]);
    expect(foreign.links?.self?.methods).toEqual(['GET']);
    expect(foreign.links?.apikeys?.methods).toEqual([]);
    const own = recordOf(await owner.call.get(`/users/${owner.id}?includeOptions=true&includeLinks=true`));
    expect(own.options?.admin).toEqual([
      { label: 'Not Admin', value: 'false' },
      { label: 'Admin', value: 'true' },
    ]);
    expect(own.links?.self?.methods).toEqual(['GET', 'PUT', 'DELETE']);
    expect(own.links?.apikeys).toMatchObject({ href: `/api/v1/users/${owner.id}/apikeys`, methods: ['GET'] });
    const line = recordOf(await other.call.get(`/dummythings/${olives.thing}?includeLinks=true`));
    expect(line.links?.buddy?.methods).toEqual([]);
    expect(line.links?.user?.methods).toEqual(['GET']);
  });
});

describe('what else an answer tells and hides', () => {
  const remake = (kind: string, row: string) => service.app.get(Ids).encode(kind, row);

  it('a parent of another kind whose row number is the caller’s own is not the caller', async () => {
    const { other } = people;
    // A number that no invoice has yet.
    await service.sql(`SELECT setval(pg_get_serial_sequence('users', 'id'), 1000000)`);
    const owner = await addPerson(service, 'nadia_u', 'nadia@mail.test', 'Nadia New');
    const own = await addBelongings(owner, 'nadia', 3);
    const self = rowId(service, 'User', owner.id);
    const invoice = remake('DummyInvoice', self);
    const message = /must name a DummyInvoice of your own/;
    // There is none of that number; then there is one, of somebody else.
    for (const exists of [false, true]) {
      if (exists) {
        await service.sql(
          `INSERT INTO dummyinvoices (id, title, "userId") OVERRIDING SYSTEM VALUE VALUES ($1, 'foreign', $2)`,
          [self, rowId(service, 'User', other.id)],
        );
      }
      for (const answer of [
        await owner.call.post('/dummylineitems', { label: 'mine now', invoiceId: invoice }),
        await owner.call.put(`/dummylineitems/${own.lineItem}`, { invoiceId: invoice }),
      ]) {
        expect([exists, ...refusal(answer)]).toEqual([exists, 403, 403, 'invoiceId']);
        expect(answer.text).toMatch(message);
      }
    }
    expect(recordOf(await owner.call.get(`/dummylineitems/${own.lineItem}`)).props.invoiceId).toBe(
      own.invoice,
    );
  });

  it('a record that is hidden can’t be named, nor told from none, where it is enough to see it', async () => {
    const { owner, admin } = people;
    const item = { name: 'i', category: 'Food' };
    const mine = await createRecord(owner.call, '/dummyitems', item);
    const none = idOfNoRow(service, 'DummyInvoice');
    const answers = [];
    for (const receiptId of [ottos.invoice, none]) {
      const created = await owner.call.post('/dummyitems', { ...item, name: 'j', receiptId });
      const changed = await owner.call.put(`/dummyitems/${mine}`, { receiptId });
      expect([refusal(created), refusal(changed)]).toEqual(Array(2).fill([422, 442, 'receiptId']));
      answers.push([created.text, changed.text]);
    }
    expect(answers[0]).toEqual(answers[1]);
    // One's own is seen, and all of them by who owns all.
    expect((await owner.call.put(`/dummyitems/${mine}`, { receiptId: olives.invoice })).status).toBe(200);
    expect(
      (await admin.call.post('/dummyitems', { ...item, name: 'k', receiptId: ottos.invoice })).status,
    ).toBe(201);
  });

  it('a child list holds only children on which the caller may see what they are children of', async () => {
    const { owner, admin } = people;
    const item = { name: 'i', category: 'Food', receiptId: olives.invoice };
    const mine = await createRecord(owner.call, '/dummyitems', item);
    const admins = await createRecord(admin.call, '/dummyitems', { ...item, name: 'k' });
    const path = `/dummyinvoices/${olives.invoice}/items`;
    expectList(await owner.call.get(path), [mine]);
    expectList(await admin.call.get(path), [mine, admins]);
    // The record itself is public, without the prop.
    expect(recordOf(await owner.call.get(`/dummyitems/${admins}`)).props).not.toHaveProperty('receiptId');
    expectList(await owner.call.get(`/dummyitems?receiptId=${olives.invoice}`), [mine]);
  });

  it('options of props that only owners see stand beside own records alone', async () => {
    const { owner, other, admin, anon } = people;
    const shown = async (caller: Caller, id: string) =>
      Object.keys(recordOf(await caller.get(`/users/${id}?includeOptions=true`)).options ?? {}).sort();
    const all = ['admin', 'avatarId', 'developer', 'useAsDisplayName', 'verifiedEmail'];
    expect(await shown(owner.call, owner.id)).toEqual(expect.arrayContaining(['admin', 'useAsDisplayName']));
    expect(await shown(admin.call, other.id)).toEqual(expect.arrayContaining(all));
    for (const caller of [anon, other.call]) {
      const names = await shown(caller, owner.id);
      for (const hidden of ['admin', 'developer', 'useAsDisplayName', 'verifiedEmail'])
        expect(names).not.toContain(hidden);
    }
    const page = listOf(await other.call.get('/users?includeOptions=true')).items;
    expect(page.map(({ props, options }) => [props.id, 'useAsDisplayName' in (options ?? {})])).toEqual([
      [owner.id, false],
      [other.id, true],
      [admin.id, false],
    ]);
  });

  it('a record that loses its parent is another version of itself', async () => {
    const { owner, other } = people;
    await owner.call.put(`/dummythings/${olives.thing}`, { buddyId: other.id });
    const before = await owner.call.get(`/dummythings/${olives.thing}`);
    expect((await people.admin.call.delete(`/users/${other.id}`)).status).toBe(200);
    const after = await owner.call.get(`/dummythings/${olives.thing}`);
    expect(recordOf(after).props.buddyId).toBeNull();
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(String(recordOf(after).props.updatedAt) > String(recordOf(before).props.updatedAt)).toBe(true);
    const headers = { 'if-match': before.headers.get('etag') ?? '' };
    expect((await owner.call.put(`/dummythings/${olives.thing}`, { name: 'x' }, { headers })).status).toBe(
      412,
    );
  });

  it('links say what owners may do with their records, and only they', async () => {
    const { owner, other, admin, anon } = people;
    const methods = async (caller: Caller) => {
      const { links } = recordOf(await caller.get(`/dummythings/${olives.thing}?includeLinks=true`));
      return [links?.self?.methods, links?.buddy?.methods, links?.user?.methods];
    };
    for (const caller of [owner.call, admin.call])
      expect(await methods(caller)).toEqual([['GET', 'PUT', 'DELETE'], ['GET'], ['GET']]);
    for (const caller of [other.call, anon]) expect(await methods(caller)).toEqual([['GET'], [], ['GET']]);
  });
});
