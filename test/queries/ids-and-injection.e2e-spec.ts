import { userIds, PASSWORD } from '../support/fixture.js';
import { describe, expect, it } from '@jest/globals';
import Sqids from 'sqids';
import { Ids } from '../../src/record/ids/ids.js';
import { quick } from '../support/quick.js';
import { addBelongings, callers, createRecord } from '../support/belongings.js';
import { rowId, idOfNoRow } from '../support/rows.js';
import { expectAbsent, expectList, expectRows, idOf, idsOf, recordOf, refusal } from '../support/answers.js';
import { addThings, people, renewPeople, service, useKindsService } from '../support/kinds-service.js';

/* Ids of every sort, and queries that try to reach what lies behind a prop. */

useKindsService();

const encode = encodeURIComponent;

describe('ids', () => {
  it('plain integers are no ids', async () => {
    const { anon, owner, admin } = people;
    const real = rowId(service, 'User', owner.id);
    const shapes = [real, '1', '0', '-1', `v${real}`, '1e0', '0x1', '9223372036854775808', `+${real}`];
    for (const caller of [anon, admin.call, owner.call]) {
      for (const shape of shapes) {
        for (const rest of ['', '/apikeys', '?includeMeta=true']) {
          const answer = await caller.get(`/users/${shape}${rest}`);
          expect([shape, rest, ...refusal(answer)]).toEqual([shape, rest, 404, 404, null]);
        }
      }
    }
    for (const write of [
      admin.call.put(`/users/${real}`, { realName: 'x' }),
      admin.call.delete(`/users/${real}`),
    ]) {
      expect(refusal(await write)).toEqual([404, 404, null]);
    }
    // A qualifier on an id takes none either …
    const invoice = await createRecord(owner.call, '/dummyinvoices', { title: 'x' });
    await createRecord(owner.call, '/dummylineitems', { label: 'x', invoiceId: invoice });
    for (const path of [
      `/dummyinvoices?userId=${real}`,
      `/dummyinvoices?userId=!=${real}`,
      `/dummylineitems?invoiceId=${rowId(service, 'DummyInvoice', invoice)}`,
      '/dummyinvoices?userId=0',
      '/dummyinvoices?userId=-1',
    ]) {
      expect([path, ...refusal(await admin.call.get(path))]).toEqual([
        path,
        422,
        442,
        path.includes('invoiceId') ? 'invoiceId' : 'userId',
      ]);
    }
    // … unless its declaration allows the real one (allowRealPubicId).
    const thing = await createRecord(owner.call, '/dummythings', { name: 'mine' });
    await createRecord(people.other.call, '/dummythings', { name: 'not mine' });
    expectList(await anon.get(`/dummythings?userId=${real}`), [thing]);
    expectList(await anon.get(`/dummythings?userId=${owner.id}`), [thing]);
    expectList(await anon.get(`/dummythings?id=${rowId(service, 'DummyThing', thing)}`), [thing]);
    expect(recordOf(await anon.get(`/dummythings/${thing}?includeMeta=true`)).meta?.realId).toBe(
      Number(rowId(service, 'DummyThing', thing)),
    );
    expect(recordOf(await anon.get(`/users/${owner.id}?includeMeta=true`)).meta).not.toHaveProperty('realId');
    for (const apiKey of ['1', rowId(service, 'APIKey', owner.key.id)]) {
      const login = await anon.post('/sessions', { apiKey, privateKey: owner.key.privateKey });
      expect(refusal(login)).toEqual([401, 454, null]);
      expect(login.headers.get('set-cookie')).toBeNull();
    }
  });

  it('filters by id take the public form', async () => {
    const { anon, owner } = people;
    const [first, second, third] = await addThings(3);
    expectList(await anon.get(`/dummythings?id=${second}`), [String(second)]);
    expectList(await anon.get(`/dummythings?id=!=${second}`), [String(first), String(third)]);
    expectRows(await anon.get(`/dummythings?id=${first}&id=${third}`), [String(first), String(third)]);
    expectList(await anon.get(`/dummythings?id=${idOfNoRow(service, 'DummyThing')}`), []);
    for (const id of [owner.id, 'vNope', '0', '01', '1.0', ' 1']) {
      expect([id, ...refusal(await anon.get(`/dummythings?id=${encode(id)}`))]).toEqual([id, 422, 442, 'id']);
    }
    // Which of two rows is older is no question for ids.
    expect(refusal(await anon.get(`/dummythings?id=%3E${first}`))).toEqual([422, 442, 'id']);
  });

  it('neighbouring rows have unrelated ids', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 50; n++)
      ids.push(await createRecord(people.admin.call, '/dummythings', { name: `n${n}` }));
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^v[A-Za-z0-9]+$/);
    // No prefix of more than 3 characters is common to more than 5.
    const prefixes = new Map<string, number>();
    for (const id of ids) prefixes.set(id.slice(0, 4), (prefixes.get(id.slice(0, 4)) ?? 0) + 1);
    expect(Math.max(...prefixes.values())).toBeLessThanOrEqual(5);
    // The order of the texts is not that of creation: about half of all pairs stand the other way round.
    let inversions = 0;
    ids.forEach((a, i) => ids.slice(i + 1).forEach((b) => (inversions += a > b ? 1 : 0)));
    expect(inversions).toBeGreaterThan(300);
    expect(inversions).toBeLessThan(925);
    const deletions = (id: string) => new Set(Array.from(id, (_, i) => id.slice(0, i) + id.slice(i + 1)));
    for (const a of ids) {
      const shorter = deletions(a);
      for (const b of ids) {
        if (a === b) continue;
        const oneApart = a.length === b.length && Array.from(a).filter((c, i) => c !== b[i]).length < 2;
        expect([a, b, shorter.has(b), oneApart]).toEqual([a, b, false, false]);
      }
    }
    // Kinds do not share them: the same integer looks different.
    const codec = service.app.get(Ids);
    const kinds = ['User', 'DummyThing', 'DummyInvoice', 'APIKey', 'DummyLineItem'].map((kind) =>
      codec.encode(kind, '5'),
    );
    expect(new Set(kinds.map((id) => id.slice(0, 6))).size).toBe(5);
  });

  it('altered ids do not hit other records', async () => {
    const { anon, owner, admin } = people;
    const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
    let seed = 42;
    const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % n;
    const letter = () => alphabet.charAt(random(alphabet.length));
    const changed = new Set<string>();
    while (changed.size < 300) {
      const at = 1 + random(owner.id.length - 1);
      const [head, tail] = [owner.id.slice(0, at), owner.id.slice(at + 1)];
      const kinds = [head + letter() + tail, head + tail, head + letter() + owner.id.slice(at)];
      const id = kinds[random(3)] ?? '';
      if (id !== owner.id) changed.add(id);
    }
    for (const id of changed) {
      const answer = await anon.get(`/users/${id}`);
      expect([id, ...refusal(answer)]).toEqual([id, 404, 404, null]);
    }
    const filtered = await Promise.all(
      [...changed].slice(0, 40).map((id) => admin.call.get(`/dummythings?userId=${id}`)),
    );
    filtered.forEach((answer) => expect(refusal(answer)).toEqual([422, 442, 'userId']));
    // Positive control.
    expect(idOf(await anon.get(`/users/${owner.id}`))).toBe(owner.id);
  });

  it('ids are compared letter by letter, and encoded only once', async () => {
    const { anon, owner, admin } = people;
    const { id } = owner;
    const swap = (text: string) =>
      text.replace(/[a-z]/gi, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()));
    const letter = /(?<=^v.*?)[A-Za-z]/.exec(id.slice(1))?.index ?? 0;
    const x = id.slice(0, 1 + letter) + swap(id.charAt(1 + letter)) + id.slice(2 + letter);
    expect(x).not.toBe(id);
    const spellings = [
      x,
      `V${id.slice(1)}`,
      id.toUpperCase(),
      id.toLowerCase(),
      `v${swap(id.slice(1))}`,
      `${id}%20`,
      `%20${id}`,
      `${id}%00`,
      `${id}%0A`,
      `${id}.json`,
      `${id};`,
      `${id}%2F`,
      `%EF%BD%96${id.slice(1)}`,
      `${id}%E2%80%8B`,
    ];
    for (const spelling of spellings) {
      for (const caller of [anon, admin.call]) {
        const answer = await caller.get(`/users/${spelling}`);
        expect([spelling, [400, 404].includes(answer.status), answer.status]).toEqual([
          spelling,
          true,
          answer.status,
        ]);
        expectAbsent(answer, [owner.email]);
      }
    }
    // Sqids itself has several texts for the same numbers: this is the one it takes when the first is blocked.
    const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
    const sqids = new Sqids({ alphabet, blocklist: new Set() });
    const numbers = sqids.decode(id.slice(1));
    const blocklist = new Set([id.slice(1).toLowerCase()]);
    const second = new Sqids({ alphabet, blocklist }).encode(numbers);
    expect(second).not.toBe(id.slice(1));
    expect(sqids.decode(second)).toEqual(numbers);
    expect(refusal(await anon.get(`/users/v${second}`))).toEqual([404, 404, null]);
    expect(refusal(await anon.get(`/dummythings?userId=v${second}`))).toEqual([422, 442, 'userId']);
    // Percent-encoding of the very letters is the same URL (RFC 3986 §6.2.2.2).
    expect(idOf(await anon.get(`/users/%76${id.slice(1)}`))).toBe(id);
    for (const spelling of [x, `${id} `, ` ${id}`]) {
      expect(refusal(await anon.get(`/dummythings?userId=${encode(spelling)}`))).toEqual([
        422,
        442,
        'userId',
      ]);
    }
  });

  it('the integer leaves in no answer, error or log line', async () => {
    const base = '8765432100';
    for (const table of [
      'users',
      'apikeys',
      'sessions',
      'dummyinvoices',
      'dummylineitems',
      'dummyremarks',
      'dummytopics',
    ]) {
      await service.sql(`SELECT setval(pg_get_serial_sequence('${table}', 'id'), ${base}000)`);
    }
    await renewPeople();
    const { anon, owner, other, admin } = people;
    expect(rowId(service, 'User', owner.id)).toContain(base);
    const { invoice, lineItem, remark } = await addBelongings(owner, 'olive', 7);
    const topic = await createRecord(admin.call, '/dummytopics', { title: 't' });
    const include = '?includeMeta=true&includeLinks=true&includeOptions=true';
    for (const [name, caller] of Object.entries(callers(people))) {
      for (const path of [
        ...[
          'users',
          'apikeys',
          'dummyinvoices',
          'dummylineitems',
          'dummyremarks',
          'dummytopics',
          'dummythings',
        ].map((kind) => `/${kind}${include}`),
        `/users/${owner.id}${include}`,
        `/users/${owner.id}/apikeys${include}`,
        `/dummyinvoices/${invoice}${include}&includeRelated=user`,
        `/dummylineitems/${lineItem}${include}&includeRelated=invoice`,
        `/dummyremarks/${remark}${include}&includeRelated=lineItem`,
        `/dummytopics/${topic}${include}`,
        `/apikeys/${owner.key.id}${include}&includeRelated=user`,
        `/users?sortBy=id&sortOrder=desc`,
        `/dummylineitems?invoiceId=${invoice}`,
        `/dummythings?userId=${owner.id}`,
      ]) {
        const answer = await caller.get(path);
        const found = [name, path, (answer.text + JSON.stringify([...answer.headers])).includes(base)];
        expect(found).toEqual([name, path, false]);
      }
    }
    const refused = [
      await other.call.put(`/users/${owner.id}`, { realName: 'x' }),
      await other.call.put(`/users/${other.id}`, { email: owner.email, currentPassword: PASSWORD }),
      await other.call.post('/apikeys', { name: 'x', userId: owner.id }),
      await owner.call.post('/dummyremarks', { text: 'x', lineItemId: idOfNoRow(service, 'DummyLineItem') }),
      await anon.post('/sessions', { apiKey: owner.key.id, privateKey: 'x' }),
      await owner.call.delete('/sessions'),
    ];
    refused.forEach((answer) => expectAbsent(answer, [base]));
    expect(service.log.length).toBeGreaterThan(10);
    expect(service.log.filter((line) => line.includes(base))).toEqual([]);
  });
});

describe('injection', () => {
  it('sortBy is matched against the schema, never concatenated', async () => {
    const { admin, anon } = people;
    const payloads = [
      'id;SELECT pg_sleep(5)',
      'id; SELECT pg_sleep(5)--',
      '(CASE WHEN (SELECT count(*) FROM users)>0 THEN id ELSE 1/0 END)',
      'id) UNION SELECT 1--',
      '"id"',
      'users.id',
      't.id',
      'id,email',
      'id desc',
      '-id',
      '+id',
      'id/**/desc',
      '1',
      'current_user',
      '\\";',
      '"',
      "'",
      'ID',
      'created_at',
      'createdAt ',
      'constructor',
      '__proto__',
      'toString',
      'apikeys',
      '',
    ];
    for (const payload of payloads) {
      for (const [caller, path] of [
        [admin.call, '/users'],
        [anon, '/dummythings'],
      ] as const) {
        const started = performance.now();
        const answer = await caller.get(`${path}?sortBy=${encode(payload)}`);
        expect([payload, ...refusal(answer)]).toEqual([payload, 422, 442, 'sortBy']);
        expect(performance.now() - started).toBeLessThan(quick(1000));
        expectAbsent(answer, ['syntax', 'pg_', 'column ']);
      }
    }
    expect(refusal(await admin.call.get('/users?sortBy=%00'))).toEqual([400, 400, null]);
    for (const payload of [
      'asc;SELECT pg_sleep(5)',
      'asc, email',
      'ASC',
      'desc nulls last',
      '',
      'asc ',
      '1',
    ]) {
      const answer = await admin.call.get(`/users?sortOrder=${encode(payload)}`);
      expect([payload, ...refusal(answer)]).toEqual([payload, 422, 442, 'sortOrder']);
    }
    expect(await service.sql('SELECT count(*)::int AS n FROM users')).toEqual([{ n: 3 }]);
    // Positive controls.
    expectList(await admin.call.get('/users?sortBy=username&sortOrder=desc'), [
      people.owner.id,
      people.other.id,
      people.admin.id,
    ]);
    expectList(await admin.call.get('/users?sortBy=id&sortOrder=desc'), userIds(people).reverse());
  });

  it('search text is data', async () => {
    const { owner, other, admin } = people;
    for (const text of [
      "' OR '1'='1",
      "';DROP TABLE users;--",
      '\\',
      '"\'`$$',
      '$1',
      '%',
      '_____',
      '%%',
      '.*',
      '^',
      '\\\\',
      "E'\\x41'",
      '*',
    ]) {
      expectList(await admin.call.get(`/dummythings?search=${encode(text)}`), []);
      expectList(await other.call.get(`/users?search=${encode(text)}`), []);
    }
    expectList(await admin.call.get('/users'), userIds(people));
    // The very characters are found where they stand.
    for (const name of ["O'Brien", '100%', 'a\\b', 'x"y', '$1', 'a%b']) {
      const id = await createRecord(owner.call, '/dummythings', { name });
      expectList(await admin.call.get(`/dummythings?search=${encode(name)}`), [id]);
      expectList(await admin.call.get(`/dummythings?name=${encode(name)}`), [id]);
    }
    // The underscore of the usernames is one, not a wildcard.
    expectList(await admin.call.get('/users?search=owner_'), [owner.id]);
    expectList(await admin.call.get('/users?search=owne_'), []);
  });

  it('values of filters are checked against the type of their prop', async () => {
    const { admin, owner } = people;
    await addBelongings(owner, 'olive', 7);
    for (const [path, status, prop] of [
      ["/users?admin=true' OR '1'='1", 422, 'admin'],
      ['/users?admin=1', 422, 'admin'],
      ['/users?admin=TRUE', 422, 'admin'],
      ['/dummythings?amount=1 OR 1=1', 422, 'amount'],
      ['/dummythings?amount=7)', 422, 'amount'],
      ['/dummythings?amount=>=7;--', 422, 'amount'],
      ['/dummythings?_start_amount=7 OR 1=1', 422, '_start_amount'],
      ["/dummythings?active=true'--", 422, 'active'],
      ["/dummythings?colour=red' OR '1'='1", 422, 'colour'],
      ["/dummythings?due=2026-01-01' OR '1'='1", 422, 'due'],
      [`/dummythings?userId=${owner.id}'--`, 422, 'userId'],
      ['/dummythings?userId=1 OR 1=1', 422, 'userId'],
      [`/dummyinvoices?userId=${owner.id}' OR '1'='1`, 422, 'userId'],
      ["/dummythings?name=x') OR ('1'='1", 200, ''],
      ["/dummythings?name=' OR 1=1--", 200, ''],
      ['/dummythings?name==Thing of olive', 200, ''],
      ['/dummythings?name=><x', 200, ''],
    ] as const) {
      const [head = '', ...rest] = path.split('=');
      const answer = await admin.call.get(`${head}=${encode(rest.join('='))}`);
      if (status === 422) expect([path, ...refusal(answer)]).toEqual([path, 422, 442, prop]);
      else if (!path.includes('><')) expectList(answer, []);
      else expect(answer.status).toBe(200);
    }
    expectList(
      await admin.call.get('/dummythings?name=Thing%20of%20olive&amount=7&active=false&colour=red'),
      idsOf(await admin.call.get('/dummythings')),
    );
  });

  it('a login with a missing or null key does not match the first row', async () => {
    const { anon, owner } = people;
    const { privateKey } = owner.key;
    for (const [body, ...expected] of [
      [{}, 422, 441, 'apiKey'],
      [{ apiKey: null, privateKey: null }, 422, 441, 'apiKey'],
      [{ privateKey }, 422, 441, 'apiKey'],
      [{ apiKey: '', privateKey }, 422, 441, 'apiKey'],
      [{ apiKey: owner.key.id }, 422, 441, 'privateKey'],
      [{ apiKey: owner.key.id, privateKey: null }, 422, 441, 'privateKey'],
      [{ apiKey: owner.key.id, privateKey: '' }, 422, 441, 'privateKey'],
      [{ apiKey: { id: owner.key.id }, privateKey }, 422, 442, 'apiKey'],
      [{ apiKey: [owner.key.id], privateKey }, 422, 442, 'apiKey'],
      [{ apiKey: true, privateKey }, 422, 442, 'apiKey'],
      [{ apiKey: owner.key.id, privateKey: [privateKey] }, 422, 442, 'privateKey'],
      [{ apiKey: owner.key.id, privateKey: { $ne: '' } }, 422, 442, 'privateKey'],
      [{ apiKey: 'undefined', privateKey }, 401, 454, null],
      [{ apiKey: 'null', privateKey }, 401, 454, null],
      [{ apiKey: '%', privateKey }, 401, 454, null],
      [{ apiKey: "' OR '1'='1", privateKey }, 401, 454, null],
      [{ apiKey: owner.id, privateKey }, 401, 454, null],
      [{ apiKey: people.other.key.id, privateKey }, 401, 454, null],
      [{ login: null, password: PASSWORD }, 422, 441, 'login'],
      [{ login: '', password: PASSWORD }, 422, 441, 'login'],
      [{ password: PASSWORD }, 422, 441, 'login'],
      [{ login: owner.username, password: null }, 422, 441, 'password'],
      [{ login: '%', password: PASSWORD }, 401, 454, null],
      [{ login: 'owner__', password: PASSWORD }, 401, 454, null],
    ] as const) {
      const answer = await anon.post('/sessions', body);
      expect([body, ...refusal(answer)]).toEqual([body, ...expected]);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    // Positive control.
    const good = await anon.post('/sessions', { apiKey: owner.key.id, privateKey });
    expect([good.status, recordOf(good).props.userId]).toEqual([201, owner.id]);
  });

  it('relation and extra names are looked up safely', async () => {
    const { anon, owner, admin } = people;
    const names = [
      '__proto__',
      'constructor',
      'hasOwnProperty',
      'toString',
      'prototype',
      'user;drop',
      '__defineGetter__',
    ];
    const item = await createRecord(owner.call, '/dummyitems', { name: 'i', category: 'Food' });
    for (const name of names) {
      for (const caller of [anon, admin.call]) {
        for (const path of [`/users/${owner.id}`, '/users', `/dummyitems/${item}`, '/dummythings']) {
          expect([name, ...refusal(await caller.get(`${path}?includeRelated=${encode(name)}`))]).toEqual([
            name,
            422,
            442,
            'includeRelated',
          ]);
          expect([name, ...refusal(await caller.get(`${path}?includeExtra=${encode(name)}`))]).toEqual([
            name,
            422,
            442,
            'includeExtra',
          ]);
        }
        for (const path of [`/users/${owner.id}/${encode(name)}`, `/dummyitems/${item}/${encode(name)}`]) {
          expect([path, ...refusal(await caller.get(path))]).toEqual([path, 404, 404, null]);
        }
      }
    }
    for (const path of [
      '/constructor',
      '/__proto__',
      '/users/constructor',
      '/users/__proto__',
      '/toString',
    ]) {
      expect([path, ...refusal(await anon.get(path))]).toEqual([path, 404, 404, null]);
    }
    // Positive controls.
    expect(recordOf(await anon.get(`/dummyitems/${item}?includeExtra=shout`)).extras).toEqual({ shout: 'I' });
    expect(idOf(await anon.get(`/dummyitems/${item}/user`))).toBe(owner.id);
  });
});
