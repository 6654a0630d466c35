import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Sqids from 'sqids';
import { Ids } from '../../src/record/ids/ids.js';
import { TEST_KINDS } from '../kinds/kinds.js';
import { type Answer, Caller } from '../support/client.js';
import { type Fixture, PASSWORD, resetFixture } from '../support/fixture.js';
import { listening } from '../support/listening.js';
import { quick } from '../support/quick.js';
import { startTestService, type TestService } from '../support/service.js';
import {
  addBelongings,
  callers,
  column,
  expectAbsent,
  expectList,
  expectRows,
  idOf,
  idsOf,
  list,
  made,
  NONSENSE,
  paging,
  record,
  refusal,
  rowId,
  rowOf,
  setColumn,
  unusedId,
  warned,
} from './data-helpers.js';

/*
 * How requests are read: families identifiers, orm-injection, query-parsing and numbers-dates. Thing stands for
 * ObjectFile: `amount` and `score` for sizeInBytes, `name` for extension, `userId` for itself.
 */

const APP_SECRET = 'a secret for tests alone, 32 characters';
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let service: TestService;
let people: Fixture;

beforeAll(async () => {
  service = await startTestService({ kinds: TEST_KINDS, template: 'kinds' });
});
afterAll(() => service.stop());
beforeEach(async () => {
  people = await resetFixture(service);
});

const encode = encodeURIComponent;
const users = () => [people.owner.id, people.other.id, people.admin.id];

/** Things with the amounts 1 to n, all created at the same instant, behind the service's back; their ids in that order. */
async function addThings(n: number): Promise<string[]> {
  const rows = await service.sql<{ id: string }>(
    `INSERT INTO dummythings (name, amount) SELECT 'Thing ' || lpad(n::text, 5, '0'), n
     FROM generate_series(1, $1) n RETURNING id`,
    [n],
  );
  const ids = rows.map(({ id }) => id);
  return service.app.get(Ids).encodeAll('DummyThing', ids);
}

describe('identifiers', () => {
  it('ID-01: plain integers are not accepted as ids', async () => {
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
    const invoice = await made(owner.call, '/dummyinvoices', { title: 'x' });
    await made(owner.call, '/dummylineitems', { label: 'x', invoiceId: invoice });
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
    const thing = await made(owner.call, '/dummythings', { name: 'mine' });
    await made(people.other.call, '/dummythings', { name: 'not mine' });
    expectList(await anon.get(`/dummythings?userId=${real}`), [thing]);
    expectList(await anon.get(`/dummythings?userId=${owner.id}`), [thing]);
    expectList(await anon.get(`/dummythings?id=${rowId(service, 'DummyThing', thing)}`), [thing]);
    expect(record(await anon.get(`/dummythings/${thing}?includeMeta=true`)).meta?.realId).toBe(
      Number(rowId(service, 'DummyThing', thing)),
    );
    expect(record(await anon.get(`/users/${owner.id}?includeMeta=true`)).meta).not.toHaveProperty('realId');
    for (const apiKey of ['1', rowId(service, 'APIKey', owner.key.id)]) {
      const login = await anon.post('/sessions', { apiKey, privateKey: owner.key.privateKey });
      expect(refusal(login)).toEqual([401, 454, null]);
      expect(login.headers.get('set-cookie')).toBeNull();
    }
  });

  it('ID-02 (beyond the cases): the id of a record qualifies by its public form', async () => {
    const { anon, owner } = people;
    const [first, second, third] = await addThings(3);
    expectList(await anon.get(`/dummythings?id=${second}`), [String(second)]);
    expectList(await anon.get(`/dummythings?id=!=${second}`), [String(first), String(third)]);
    expectRows(await anon.get(`/dummythings?id=${first}&id=${third}`), [String(first), String(third)]);
    expectList(await anon.get(`/dummythings?id=${unusedId(service, 'DummyThing')}`), []);
    for (const id of [owner.id, 'vNope', '0', '01', '1.0', ' 1']) {
      expect([id, ...refusal(await anon.get(`/dummythings?id=${encode(id)}`))]).toEqual([id, 422, 442, 'id']);
    }
    // Which of two rows is older is no question for ids.
    expect(refusal(await anon.get(`/dummythings?id=%3E${first}`))).toEqual([422, 442, 'id']);
  });

  it('ID-03: neighbouring rows have unrelated ids', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 50; n++) ids.push(await made(people.admin.call, '/dummythings', { name: `n${n}` }));
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

  it('ID-04: altered ids do not hit other records', async () => {
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

  it('ID-06: case and encoding are exact', async () => {
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

  it('ID-07 (beyond the cases): the integer leaves in no answer, error or log line', async () => {
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
    people = await resetFixture(service);
    const { anon, owner, other, admin } = people;
    expect(rowId(service, 'User', owner.id)).toContain(base);
    const { invoice, lineItem, remark } = await addBelongings(owner, 'olive', 7);
    const topic = await made(admin.call, '/dummytopics', { title: 't' });
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
      await owner.call.post('/dummyremarks', { text: 'x', lineItemId: unusedId(service, 'DummyLineItem') }),
      await anon.post('/sessions', { apiKey: owner.key.id, privateKey: 'x' }),
      await owner.call.delete('/sessions'),
    ];
    refused.forEach((answer) => expectAbsent(answer, [base]));
    expect(service.log.length).toBeGreaterThan(10);
    expect(service.log.filter((line) => line.includes(base))).toEqual([]);
  });
});

describe('orm-injection', () => {
  it('OI-01: sortBy is matched against the schema, never concatenated', async () => {
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
    expectList(await admin.call.get('/users?sortBy=id&sortOrder=desc'), users().reverse());
  });

  it('OI-03: search text is data', async () => {
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
    expectList(await admin.call.get('/users'), users());
    // The very characters are found where they stand.
    for (const name of ["O'Brien", '100%', 'a\\b', 'x"y', '$1', 'a%b']) {
      const id = await made(owner.call, '/dummythings', { name });
      expectList(await admin.call.get(`/dummythings?search=${encode(name)}`), [id]);
      expectList(await admin.call.get(`/dummythings?name=${encode(name)}`), [id]);
    }
    // The underscore of the usernames is one, not a wildcard.
    expectList(await admin.call.get('/users?search=owner_'), [owner.id]);
    expectList(await admin.call.get('/users?search=owne_'), []);
  });

  it('OI-04: qualifier values are typed before they reach the query', async () => {
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

  it('OI-06: a login with a missing or null key does not match the first row', async () => {
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
    expect([good.status, record(good).props.userId]).toEqual([201, owner.id]);
  });

  it('OI-09: relation and extra names are looked up safely', async () => {
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
    const item = await made(owner.call, '/dummyitems', { name: 'i', category: 'Food' });
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
    expect(record(await anon.get(`/dummyitems/${item}?includeExtra=shout`)).extras).toEqual({ shout: 'I' });
    expect(idOf(await anon.get(`/dummyitems/${item}/user`))).toBe(owner.id);
  });
});

describe('query-parsing', () => {
  it('QP-01: repeated parameters follow one rule', async () => {
    // decisions.md §6: a repeated qualifier (and search) means any of the values; includes may be repeated; what
    // has one value only is refused when it is given twice.
    const { admin, owner, other } = people;
    expectList(await admin.call.get('/users?search=owner_&search=other_'), [owner.id, other.id]);
    expectList(await admin.call.get(`/users?search=owner_&search=${NONSENSE}`), [owner.id]);
    expectList(await admin.call.get('/users?admin=true&admin=false'), users());
    expectList(await admin.call.get('/users?admin=true&admin='), [admin.id]);
    for (const [path, name] of [
      ['/users?page=1&page=2', 'page'],
      ['/users?page=1&page=1', 'page'],
      ['/users?itemsPerPage=1&itemsPerPage=2', 'itemsPerPage'],
      ['/users?maxItems=1&maxItems=2', 'maxItems'],
      ['/users?sortOrder=asc&sortOrder=desc', 'sortOrder'],
      ['/users?sortBy=id&sortBy=email', 'sortBy'],
      ['/users?includeMeta=true&includeMeta=false', 'includeMeta'],
      ['/users?_start_createdAt=2020-01-01&_start_createdAt=2021-01-01', '_start_createdAt'],
    ] as const) {
      expect([path, ...refusal(await admin.call.get(path))]).toEqual([path, 422, 442, name]);
    }
    const [first, second, third] = await addThings(3);
    expectList(await admin.call.get('/dummythings?amount=1&amount=3'), [String(first), String(third)]);
    expectList(await admin.call.get('/dummythings?amount=%3C2&amount=%3E2'), [String(first), String(third)]);
    // Different qualifiers narrow each other.
    expectList(await admin.call.get('/dummythings?amount=1&amount=2&name=Thing%2000002'), [String(second)]);
    expectList(await admin.call.get('/dummythings?_start_amount=2&_end_amount=2&search=thing'), [
      String(second),
    ]);
  });

  it('QP-03: paging values outside the contract are refused, not clamped', async () => {
    const { anon } = people;
    await addThings(3);
    const wrong = [
      '0',
      '-1',
      '1.5',
      'abc',
      '1e3',
      'NaN',
      'Infinity',
      '',
      ' ',
      '0x10',
      '1,2',
      '+1',
      ' 1',
      '١',
      '1_0',
    ];
    for (const [name, more] of [
      ['page', ['1000001', '9223372036854775807', '999999999999999999999']],
      ['itemsPerPage', ['101', '1000000', '1e1']],
      ['maxItems', ['100000000001', '99999999999999999999']],
    ] as const) {
      for (const value of [...wrong, ...more]) {
        const answer = await anon.get(`/dummythings?${name}=${encode(value)}`);
        expect([name, value, ...refusal(answer)]).toEqual([name, value, 422, 442, name]);
      }
    }
    for (const name of ['includeMeta', 'includeLinks', 'includeOptions']) {
      for (const value of ['1', 'TRUE', 'yes', '', 'null']) {
        const answer = await anon.get(`/dummythings?${name}=${value}`);
        expect([name, value, ...refusal(answer)]).toEqual([name, value, 422, 442, name]);
      }
    }
    // Positive controls: the bounds themselves.
    for (const query of [
      'page=1',
      'itemsPerPage=100',
      'itemsPerPage=1',
      'page=1000000',
      'maxItems=100000000000',
    ]) {
      const answer = await anon.get(`/dummythings?${query}`);
      expect([query, answer.status, paging(answer).totalItems]).toEqual([query, 200, 3]);
      for (const value of Object.values(paging(answer))) expect(Number.isInteger(value)).toBe(true);
    }
  });

  it('QP-04: the largest permitted page is cheap', async () => {
    const { anon } = people;
    await addThings(10_000);
    const started = performance.now();
    const answer = await anon.get('/dummythings?page=1000000&itemsPerPage=100');
    expect(performance.now() - started).toBeLessThan(quick(2000));
    expect(answer.status).toBe(200);
    expect(list(answer).items).toEqual([]);
    expect(paging(answer)).toEqual({
      page: 1_000_000,
      nextPage: 100,
      previousPage: 999_999,
      itemsPerPage: 100,
      totalItems: 10_000,
      totalPages: 100,
    });
    // Positive control: the last page that holds something.
    const last = await anon.get('/dummythings?page=100&itemsPerPage=100&sortBy=amount');
    expect(column(last, 'amount').at(-1)).toBe(10_000);
    expect(list(last).items).toHaveLength(100);
  });

  it('QP-06: null is IS NULL, and not-null works', async () => {
    const { owner, admin } = people;
    const make = (name: string, note: string | null) => made(owner.call, '/dummythings', { name, note });
    const none = await make('none', null);
    const text = await make('text', 'null');
    const empty = await make('empty', '');
    const x = await make('x', 'x');
    for (const caller of [admin.call, owner.call, people.anon]) {
      // An empty text is none.
      expectList(await caller.get('/dummythings?note=null'), [none, empty]);
      expectList(await caller.get('/dummythings?note=!=null'), [text, x]);
      expectList(await caller.get('/dummythings?note=%3C%3Enull'), [text, x]);
      expectList(await caller.get('/dummythings?note='), [none, text, empty, x]);
      // What differs from x: a row without a value does differ.
      expectList(await caller.get('/dummythings?note=%3C%3Ex'), [none, text, empty]);
      expectList(await caller.get('/dummythings?note=!=x'), [none, text, empty]);
      expectList(await caller.get('/dummythings?note=x&note=null'), [none, empty, x]);
    }
    for (const [sign, name] of [
      ['>', 'note'],
      ['>=', 'amount'],
      ['<', 'due'],
      ['<=', 'score'],
    ] as const) {
      const answer = await admin.call.get(`/dummythings?${name}=${encode(sign)}null`);
      expect([name, ...refusal(answer)]).toEqual([name, 422, 442, name]);
    }
    // Every type knows null.
    await owner.call.put(`/dummythings/${x}`, {
      amount: 1,
      due: '2026-01-01',
      colour: 'blue',
      buddyId: owner.id,
    });
    for (const prop of ['amount', 'due', 'buddyId']) {
      expectList(await owner.call.get(`/dummythings?${prop}=null`), [none, text, empty]);
      expectList(await owner.call.get(`/dummythings?${prop}=!=null`), [x]);
    }
  });

  it('a value that looks like an operator, null or the escape itself is asked for with a backslash', async () => {
    const { owner, anon } = people;
    const ids = new Map<string, string>();
    for (const name of ['>5', '>=', '!=null', 'null', '\\', '\\null', '5', 'x'])
      ids.set(name, await made(owner.call, '/dummythings', { name, note: name }));
    const all = [...ids.values()];
    for (const prop of ['name', 'note']) {
      for (const [name, id] of ids) {
        const asked = encode(`\\${name}`);
        expectList(await anon.get(`/dummythings?${prop}=${asked}`), [id]);
        for (const sign of ['!=', '<>'])
          expectList(
            await anon.get(`/dummythings?${prop}=${encode(sign)}${asked}`),
            all.filter((one) => one !== id),
          );
      }
      const [none = '', five = '', over = ''] = [ids.get('null'), ids.get('5'), ids.get('x')];
      expectList(await anon.get(`/dummythings?${prop}=%3E%3D${encode('\\5')}`), [none, five, over]);
      expectList(await anon.get(`/dummythings?${prop}=${encode('\\')}`), []); // the empty text, which nothing is
    }
    const [blue] = [await made(owner.call, '/dummythings', { name: 'b', colour: 'blue', amount: 5 })];
    expectList(await anon.get(`/dummythings?colour=${encode('\\blue')}&amount=${encode('\\5')}`), [blue]);
  });

  it('an operator without a value asks nothing, and says so', async () => {
    const { owner, anon } = people;
    const one = await made(owner.call, '/dummythings', { name: '>' });
    const two = await made(owner.call, '/dummythings', { name: 'x' });
    for (const sign of ['>', '>=', '<', '<=', '<>', '!=']) {
      const answer = await anon.get(`/dummythings?name=${encode(sign)}`);
      expectList(answer, [one, two]);
      expect([sign, warned(answer)]).toEqual([sign, ['400 name']]);
    }
    const some = await anon.get('/dummythings?name=%3E&name=x');
    expectList(some, [two]);
    expect(warned(some)).toEqual(['400 name']);
    expect(warned(await anon.get('/dummythings?name='))).toEqual([]);
    // On a prop that is hidden everywhere it is refused as any value is.
    expect(refusal(await anon.get('/dummythings?guarded=%3E'))).toEqual([403, 403, 'guarded']);
  });

  it('several ids answer those records, of every kind, and no others', async () => {
    const { owner, other, admin, anon } = people;
    const answer = await anon.get(`/users?id=${owner.id}&id=${admin.id}`);
    expectList(answer, [owner.id, admin.id]);
    expect(warned(answer)).toEqual([]);
    expectList(await anon.get(`/users?id=${owner.id}&id=${owner.id}`), [owner.id]);
    expectList(
      await anon.get(`/users?id=!=${owner.id}`),
      users().filter((id) => id !== owner.id),
    );
    expectList(await anon.get(`/users?id=${unusedId(service, 'User')}&id=${other.id}`), [other.id]);
    for (const wrong of ['1', 'vNope', owner.key.id])
      expect(refusal(await anon.get(`/users?id=${owner.id}&id=${wrong}`))).toEqual([422, 442, 'id']);
    // Hidden records are in no answer.
    const keys = `/apikeys?id=${owner.key.id}&id=${other.key.id}`;
    expectList(await owner.call.get(keys), [owner.key.id]);
    expectList(await other.call.get(keys), [other.key.id]);
    expectList(await admin.call.get(keys), [owner.key.id, other.key.id]);
    // A page's worth of them in one request.
    const things = await addThings(101);
    const query = (ids: readonly string[]) => ids.map((id) => `id=${id}`).join('&');
    const page = await anon.get(`/dummythings?${query(things.slice(0, 100))}&itemsPerPage=100`);
    expectList(page, things.slice(0, 100));
    expect(refusal(await anon.get(`/dummythings?${query(things)}`))).toEqual([422, 442, 'id']);
  });

  it('search finds what uniqueness takes for the same text', async () => {
    const { owner, anon } = people;
    const texts = ['José', 'Σίσυφος', 'Straße', 'ＡＢＣ', 'ﬃ 100% a_b \\', 'İstanbul', 'plain'];
    const ids: string[] = [];
    for (const name of texts) ids.push(await made(owner.call, '/dummythings', { name }));
    const pairs: [string, number][] = [
      ['jos\u00e9', 0],
      ['jose\u0301', 0],
      ['JOSE\u0301', 0],
      ['σίσυφος', 1],
      ['ΣΊΣΥΦΟΣ', 1],
      ['συφοσ', 1],
      ['strasse', 2],
      ['STRASSE', 2],
      ['STRA\u1e9eE', 2],
      ['aße', 2],
      ['abc', 3],
      ['ffi', 4],
      ['100%', 4],
      ['a_b', 4],
      ['\\', 4],
      ['％', 4], // folded to a percent sign, and still no wildcard
      ['PLAIN', 6],
    ];
    for (const [text, i] of pairs) {
      const found = await anon.get(`/dummythings?search=${encode(text)}`);
      expect([text, idsOf(found)]).toEqual([text, [ids[i]]]);
    }
    // Accents are part of the text.
    expectList(await anon.get('/dummythings?search=jose'), []);
  });

  it('exact filters on what is unique without case find it whatever its case', async () => {
    const { owner, anon } = people;
    const item = await made(owner.call, '/dummyitems', { name: 'i', category: 'Food', code: 'Straße' });
    const plain = await made(owner.call, '/dummyitems', { name: 'j', category: 'Food' });
    for (const code of ['Straße', 'STRASSE', 'strasse', 'ｓtrasse']) {
      expectList(await anon.get(`/dummyitems?code=${encode(code)}`), [item]);
      expectList(await anon.get(`/dummyitems?code=!=${encode(code)}`), [plain]);
    }
  });

  it('texts are sorted and compared as people do, whatever the database', async () => {
    const { owner, anon } = people;
    const order = ['-', '10', '9', 'äpfel', 'apple', 'Apple', 'apricot', 'école', 'Zulu', 'я', '漢'];
    const ids = new Map<string, string>();
    for (const name of [...order].sort())
      ids.set(name, await made(owner.call, '/dummythings', { name, note: name }));
    const named = (names: readonly string[]) => names.map((name) => ids.get(name) ?? '');
    for (const prop of ['name', 'note']) {
      expectList(await anon.get(`/dummythings?sortBy=${prop}&itemsPerPage=100`), named(order));
      const down = await anon.get(`/dummythings?sortBy=${prop}&sortOrder=desc&itemsPerPage=100`);
      expectList(down, named([...order].reverse()));
      const from = await anon.get(
        `/dummythings?${prop}=%3E%3D${encode('äpfel')}&${prop}=x&sortBy=${prop}&itemsPerPage=100`,
      );
      expectList(from, named(order.slice(3)));
    }
  });

  it('QP-08: enum and id qualifiers with bad values', async () => {
    const { owner, admin } = people;
    const thing = await made(owner.call, '/dummythings', { name: 'a', colour: 'blue' });
    expectList(await admin.call.get('/dummythings?name=%F0%9F%98%80'), []);
    for (const [path, prop] of [
      ['/dummythings?colour=no-such-enum', 'colour'],
      ['/dummythings?colour=Blue', 'colour'],
      ['/dummythings?colour=!=pink', 'colour'],
      ['/dummythings?colour=%3Ered', 'colour'],
      ['/dummythings?active=%3Etrue', 'active'],
      ['/dummythings?userId=vNope', 'userId'],
      [`/dummythings?userId=${thing}`, 'userId'],
      [`/dummythings?userId=%3E${owner.id}`, 'userId'],
      ['/dummythings?userId=99999999999999999999', 'userId'],
    ] as const) {
      expect([path, ...refusal(await admin.call.get(path))]).toEqual([path, 422, 442, prop]);
    }
    expectList(await admin.call.get('/dummythings?userId=null'), []);
    expectList(await admin.call.get('/dummythings?userId=!=null'), [thing]);
    expectList(await admin.call.get(`/dummythings?userId=!=${owner.id}`), []);
    expectList(await admin.call.get('/dummythings?userId=999999999999999999'), []);
    expectList(await admin.call.get('/dummythings?colour=blue&colour=red'), [thing]);
    expectList(await admin.call.get('/dummythings?colour=null'), []);
  });

  it('QP-09: page arithmetic at the edges', async () => {
    const { anon } = people;
    const ids = await addThings(11);
    const at = async (query: string) => {
      const answer = await anon.get(`/dummythings?${query}`);
      expect(answer.status).toBe(200);
      return { ...paging(answer), items: idsOf(answer) };
    };
    const all = { itemsPerPage: 10, totalItems: 11, totalPages: 2 };
    expect(await at('itemsPerPage=10&page=1')).toEqual({
      ...all,
      page: 1,
      nextPage: 2,
      previousPage: 1,
      items: ids.slice(0, 10),
    });
    expect(await at('itemsPerPage=10&page=2')).toEqual({
      ...all,
      page: 2,
      nextPage: 2,
      previousPage: 1,
      items: ids.slice(10),
    });
    expect(await at('itemsPerPage=10&page=3')).toEqual({
      ...all,
      page: 3,
      nextPage: 2,
      previousPage: 2,
      items: [],
    });
    expect(await at('itemsPerPage=11&page=1')).toEqual({
      page: 1,
      nextPage: 1,
      previousPage: 1,
      itemsPerPage: 11,
      totalItems: 11,
      totalPages: 1,
      items: ids,
    });
    expect(await at(`search=${NONSENSE}`)).toEqual({
      page: 1,
      nextPage: 1,
      previousPage: 1,
      itemsPerPage: 10,
      totalItems: 0,
      totalPages: 0,
      items: [],
    });
    expect(await at(`search=${NONSENSE}&page=5`)).toMatchObject({
      nextPage: 1,
      previousPage: 4,
      totalItems: 0,
    });
  });

  it('QP-09: whoever follows nextPage sees every row once, also where all values are the same', async () => {
    const { anon, other } = people;
    const ids = await addThings(23);
    await service.sql(`UPDATE dummythings SET amount = amount / 10`);
    for (const caller of [anon, other.call]) {
      for (const sort of [
        '',
        'sortBy=createdAt',
        'sortBy=colour',
        'sortBy=amount',
        'sortBy=userId',
        'sortBy=due',
      ]) {
        for (const order of ['asc', 'desc']) {
          const seen: string[] = [];
          for (let page = 1, last = 0; page !== last;) {
            const answer = await caller.get(
              `/dummythings?itemsPerPage=4&page=${page}&sortOrder=${order}&${sort}`,
            );
            seen.push(...idsOf(answer));
            expect(paging(answer)).toMatchObject({ totalItems: 23, totalPages: 6 });
            last = page;
            page = paging(answer).nextPage;
          }
          expect([sort, order, [...seen].sort()]).toEqual([sort, order, [...ids].sort()]);
          if (sort !== 'sortBy=amount') expect(seen).toEqual(order === 'asc' ? ids : [...ids].reverse());
        }
      }
    }
    // A sort by what is hidden pages as evenly.
    const pages = await Promise.all(
      [1, 2, 3].map((page) => other.call.get(`/dummythings?sortBy=secret&itemsPerPage=10&page=${page}`)),
    );
    expect(pages.flatMap(idsOf)).toEqual(ids);
  });

  it('QP-11: maxItems is respected and bounded', async () => {
    const { anon } = people;
    const ids = await addThings(50);
    const at = (page: number) => anon.get(`/dummythings?maxItems=15&itemsPerPage=10&page=${page}`);
    const limited = { totalItems: 15, totalPages: 2 };
    for (const [page, items] of [
      [1, ids.slice(0, 10)],
      [2, ids.slice(10, 15)],
      [3, []],
      [4, []],
    ] as const) {
      const answer = await at(page);
      expect([answer.status, idsOf(answer)]).toEqual([200, items]);
      expect(paging(answer)).toMatchObject({ ...limited, page, nextPage: Math.min(page + 1, 2) });
    }
    for (const value of ['0', '-5', '99999999999999999999', '1.5', 'x', '']) {
      expect([value, ...refusal(await anon.get(`/dummythings?maxItems=${value}`))]).toEqual([
        value,
        422,
        442,
        'maxItems',
      ]);
    }
    expectList(await anon.get('/dummythings?maxItems=1'), ids.slice(0, 1));
    expectList(await anon.get('/dummythings?maxItems=3&itemsPerPage=100'), ids.slice(0, 3));
    // More than there is limits nothing; a limit in the middle of a filter counts what is filtered.
    expect(paging(await anon.get('/dummythings?maxItems=51')).totalItems).toBe(50);
    expectList(
      await anon.get('/dummythings?maxItems=2&_start_amount=48&sortOrder=desc'),
      [ids[49], ids[48]].map(String),
    );
  });
});

describe('numbers-dates', () => {
  it('ND-01: integer prop limits', async () => {
    const { owner } = people;
    const invoice = await made(owner.call, '/dummyinvoices', { title: 'x' });
    // JSON as text: what JSON.stringify can't write.
    const post = (path: string, prop: string, json: string) =>
      owner.call.post(
        path,
        path === '/dummylineitems' ? `{"invoiceId":"${invoice}","${prop}":${json}}` : `{"${prop}":${json}}`,
      );
    const never = [
      '1.5',
      '"12"',
      'true',
      'false',
      '[]',
      '[1]',
      '{}',
      '1e21',
      '1e400',
      '-1e400',
      '""',
      '9007199254740993',
    ];
    for (const [path, prop, min, max] of [
      ['/dummythings', 'amount', '-9007199254740991', '9007199254740991'],
      ['/dummythings', 'score', '-1000', '1000000000000'],
      ['/dummylineitems', 'price', '0', '9007199254740991'],
    ] as const) {
      const beyond = [
        `${BigInt(min) - 1n}`,
        `${BigInt(max) + 1n}`,
        '9223372036854775807',
        '-9223372036854775808',
      ];
      for (const json of [...never, ...beyond]) {
        if (json === '""') continue; // empty is no value, see below
        const answer = await post(path, prop, json);
        expect([prop, json, ...refusal(answer)]).toEqual([prop, json, 422, 442, prop]);
      }
      for (const json of [min, max, '0', '7', '2147483647', '2147483648', '4294967296']) {
        const answer = await post(path, prop, json);
        expect([prop, json, answer.status]).toEqual([prop, json, 201]);
        expect(answer.text).toContain(`"${prop}":${json}`);
        const again = await owner.call.get(`${path}/${idOf(answer)}`);
        expect(record(again).props[prop]).toBe(Number(json));
      }
      expect(record(await post(path, prop, 'null')).props[prop]).toBeNull();
      // Spellings of one integral number (RFC 8259 §6).
      expect(record(await post(path, prop, '1e2')).props[prop]).toBe(100);
      expect(record(await post(path, prop, '-0')).props[prop]).toBe(0);
      expect(refusal(await post(path, prop, '01'))).toEqual([400, 400, null]);
      expect(refusal(await post(path, prop, '+1'))).toEqual([400, 400, null]);
    }
    const count = await service.sql('SELECT count(*)::int AS n FROM dummythings WHERE amount IS NOT NULL');
    expect(count).toEqual([{ n: 9 }]);
  });

  it('ND-01: a fraction is never rounded to an integer without notice', async () => {
    // Near 2^52 a double has no room for fractions: the parser alone would make integers of these.
    for (const json of [
      '4503599627370497.3',
      '9007199254740990.6',
      '0.99999999999999999999',
      '7.00000000000000000001',
    ]) {
      const answer = await people.owner.call.post('/dummythings', `{"amount":${json}}`);
      expect([json, ...refusal(answer)]).toEqual([json, 422, 442, 'amount']);
    }
    // An integer in another spelling is one (an integral JSON number).
    const answer = await people.owner.call.post('/dummythings', '{"amount":70.0e-1}');
    expect([answer.status, record(answer).props.amount]).toEqual([201, 7]);
  });

  it('ND-01: an empty text is no number', async () => {
    const answer = await people.owner.call.post('/dummythings', { amount: '' });
    expect(refusal(answer)).toEqual([422, 442, 'amount']);
  });

  it('ND-03: number spellings in qualifiers and ranges', async () => {
    const { admin, owner } = people;
    const thing = await made(owner.call, '/dummythings', { amount: 16 });
    const zero = await made(owner.call, '/dummythings', { amount: 0 });
    const minus = await made(owner.call, '/dummythings', { amount: -16 });
    const all = [thing, zero, minus];
    const wrong = [
      '0x10',
      '1_6',
      ' 16',
      '16 ',
      '16.0',
      '1.6e1',
      '١٦',
      '１６',
      '+16',
      '16n',
      '--16',
      '-',
      ' ',
      'NaN',
      'Infinity',
      '16,0',
      '99999999999999999999',
      '9007199254740993',
      '0b10000',
      'true',
    ];
    for (const value of wrong) {
      for (const [prefix, name] of [
        ['amount=', 'amount'],
        ['amount=%3E', 'amount'],
        ['amount=!=', 'amount'],
        ['_start_amount=', '_start_amount'],
        ['_end_amount=', '_end_amount'],
      ] as const) {
        const answer = await admin.call.get(`/dummythings?${prefix}${encode(value)}`);
        expect([prefix, value, ...refusal(answer)]).toEqual([prefix, value, 422, 442, name]);
      }
    }
    for (const empty of ['amount=', '_start_amount=', '_end_amount=', 'amount=&_start_amount=']) {
      expectList(await admin.call.get(`/dummythings?${empty}`), all);
    }
    expectList(await admin.call.get('/dummythings?amount=16'), [thing]);
    expectList(await admin.call.get('/dummythings?amount=-16'), [minus]);
    expectList(await admin.call.get('/dummythings?amount=0'), [zero]);
    expectList(await admin.call.get('/dummythings?amount=-0'), [zero]);
    expectList(await admin.call.get('/dummythings?amount=016'), [thing]);
    expectList(await admin.call.get('/dummythings?amount=%3E0'), [thing]);
    expectList(await admin.call.get('/dummythings?amount=%3E=0'), [thing, zero]);
    expectList(await admin.call.get('/dummythings?amount=%3C0'), [minus]);
    expectList(await admin.call.get('/dummythings?amount=%3C=0'), [zero, minus]);
    expectList(await admin.call.get('/dummythings?amount=%3C%3E0'), [thing, minus]);
    // Ranges are inclusive.
    expectList(await admin.call.get('/dummythings?_start_amount=0&_end_amount=16'), [thing, zero]);
    expectList(await admin.call.get('/dummythings?_start_amount=1&_end_amount=15'), []);
    expectList(await admin.call.get('/dummythings?_start_amount=16&_end_amount=0'), []);
  });

  it('ND-04: invalid dates in ranges, qualifiers and bodies', async () => {
    const { anon, owner } = people;
    const wrong = [
      'abc',
      '2023-02-30',
      '2023-02-29',
      '2023-13-01',
      '2023-00-10',
      '2023-01-00',
      '0000-00-00',
      '0000-01-01',
      '20-12-31',
      '2023-02-28T25:00:00Z',
      '2023-02-29T25:00:00Z',
      '2023-02-28T24:00:00Z',
      '2023-02-28T12:60:00Z',
      '2023-02-28T12:00:60Z',
      '99999-01-01',
      '+275760-09-13T00:00:00.001Z',
      '-000001-01-01T00:00:00Z',
      '12:00',
      '{}',
      '2023-02-28T12:00:00',
      '2023-02-28 12:00:00Z',
      '2023-02-28T12:00:00+25:00',
      '2023-02-28T12:00:00.Z',
      '9999-12-31T23:59:59-14:00',
      '0001-01-01T00:00:00+14:00',
      'now',
      'today',
      'infinity',
      '-infinity',
      '1700000000',
      ' 2023-01-01',
    ];
    for (const value of wrong) {
      for (const path of [
        '/users?_start_createdAt=',
        '/users?_end_updatedAt=',
        '/users?createdAt=',
        '/dummythings?due=%3E',
      ]) {
        const name = path.slice(path.indexOf('?') + 1, path.indexOf('='));
        const answer = await anon.get(path + encode(value));
        expect([path, value, ...refusal(answer)]).toEqual([path, value, 422, 442, name]);
        expectAbsent(answer, ['timestamp', 'time zone', 'syntax']);
      }
      expect([value, ...refusal(await owner.call.post('/dummythings', { due: value }))]).toEqual([
        value,
        422,
        442,
        'due',
      ]);
    }
    for (const due of [0, 1700000000000, true, [], {}, '']) {
      expect([due, ...refusal(await owner.call.post('/dummythings', { due }))]).toEqual([
        due,
        422,
        442,
        'due',
      ]);
    }
    // Positive controls.
    expectList(await anon.get('/users?_start_createdAt=2020-02-29'), users());
    expectList(await anon.get('/users?_end_createdAt=2020-02-29T23:59:59.999Z'), []);
    expectList(await anon.get('/users?_start_createdAt='), users());
    for (const [sent, stored] of [
      ['2024-02-29', '2024-02-29T00:00:00.000Z'],
      ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
      ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
      ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
      ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.500Z'],
      ['1883-11-18T12:03:58.123Z', '1883-11-18T12:03:58.123Z'],
    ] as const) {
      const thing = await owner.call.post('/dummythings', { due: sent });
      expect([sent, record(thing).props.due]).toEqual([sent, stored]);
      expect(record(await anon.get(`/dummythings/${idOf(thing)}`)).props.due).toBe(stored);
      expectList(await anon.get(`/dummythings?due=${stored}`), [idOf(thing)]);
    }
  });

  it('ND-06: offsets mean the same instant', async () => {
    const { anon, owner } = people;
    const thing = await made(owner.call, '/dummythings', { name: 'timed' });
    await service.sql(
      `INSERT INTO dummythings (name, "createdAt") VALUES ('older', now() - interval '1 day')`,
    );
    const utc = String(record(await anon.get(`/dummythings/${thing}`)).props.createdAt);
    const shifted = (hours: number) =>
      new Date(Date.parse(utc) + hours * 3_600_000).toISOString().slice(0, -1);
    const spellings = [utc, `${shifted(2)}+02:00`, `${shifted(-5)}-05:00`, `${shifted(0)}+00:00`];
    for (const text of spellings) {
      const t = encode(text);
      expectList(await anon.get(`/dummythings?_start_createdAt=${t}&_end_createdAt=${t}`), [thing]);
      expectList(await anon.get(`/dummythings?createdAt=${t}`), [thing]);
      expectList(await anon.get(`/dummythings?createdAt=${encode('>=')}${t}`), [thing]);
      expectList(await anon.get(`/dummythings?createdAt=${encode('>')}${t}`), []);
    }
    // The case says 400 for a raw plus, which is a blank; decisions.md §4 makes a wrong format 442.
    const raw = `${shifted(2)}+02:00`;
    expect(refusal(await anon.get(`/dummythings?_start_createdAt=${raw}`))).toEqual([
      422,
      442,
      '_start_createdAt',
    ]);
    // One millisecond beside it finds nothing.
    const beside = new Date(Date.parse(utc) + 1).toISOString();
    expectList(await anon.get(`/dummythings?_start_createdAt=${beside}`), []);
    expectList(await anon.get(`/dummythings?_start_createdAt=${beside}&_end_createdAt=${beside}`), []);
  });

  it('a stored value that the API has no place for is null with a warning, and takes nothing down', async () => {
    const { owner, anon } = people;
    const odd: [prop: string, value: string][] = [
      ['due', 'infinity'],
      ['due', '-infinity'],
      ['due', '0044-03-15 12:00:00.5+00 BC'],
      ['due', '20000-01-01'],
      ['due', '294276-12-31 23:59:59.999+00'],
      ['touchedAt', 'infinity'],
      ['createdAt', '20000-01-01'],
      ['updatedAt', '20000-01-01 00:00:00.25'],
      ['updatedAt', '0044-03-15 BC'],
      ['updatedAt', 'infinity'],
      ['amount', '9007199254740993'],
      ['amount', '-9223372036854775808'],
      ['colour', 'octarine'],
    ];
    for (const [prop, value] of odd) {
      const what = [prop, value];
      const fine = await made(owner.call, '/dummythings', { name: 'fine', amount: 1 });
      const id = await made(owner.call, '/dummythings', { name: 'odd', amount: 1, due: '2026-01-01' });
      const target = ['DummyThing', 'dummythings', id] as const;
      await setColumn(service, target, prop, value);
      const page = await anon.get(`/dummythings?includeRelated=user&sortBy=${prop}`);
      expect([...what, page.status, idsOf(page).sort()]).toEqual([...what, 200, [fine, id].sort()]);
      expect([...what, warned(page)]).toEqual([...what, [`442 ${prop}`]]);
      const read = await owner.call.get(`/dummythings/${id}`);
      expect([...what, read.status, record(read).props[prop], warned(read)]).toEqual([
        ...what,
        200,
        null,
        [`442 ${prop}`],
      ]);
      expect(record(read).props.name).toBe('odd');
      // Ids are random letters, which may say anything.
      const { id: _own, userId: _owner, ...others } = record(read).props;
      expect(JSON.stringify(others)).not.toMatch(/infinity|BC|octarine|9007199254740993|20000|294276/);
      // Nothing in the header that a client could not send back.
      const etag = read.headers.get('etag') ?? '';
      expect([...what, etag]).toEqual([...what, expect.stringMatching(/^"[\x21\x23-\x7e]+"$/)]);
      const headers = { 'if-match': etag };
      const back = await owner.call.put(
        `/dummythings/${id}`,
        { ...record(read).props, [prop]: undefined },
        { headers },
      );
      expect([...what, back.status, warned(back)]).toEqual([...what, 200, [`442 ${prop}`]]);
      const changed = await owner.call.put(`/dummythings/${id}`, { name: 'changed' });
      expect([...what, changed.status, record(changed).props.name]).toEqual([...what, 200, 'changed']);
      expect((await owner.call.delete(`/dummythings/${id}`)).status).toBe(200);
      expect((await owner.call.delete(`/dummythings/${fine}`)).status).toBe(200);
      const lines = service.log.filter((line) => line.includes(id) && line.includes('can’t be shown'));
      expect([...what, lines.length, lines[0]?.includes(`"prop":"${prop}"`)]).toEqual([...what, 1, true]);
    }
  });

  it('of a required prop, the null that stands for such a value leaves it as it is', async () => {
    const { owner } = people;
    const id = await made(owner.call, '/dummyitems', { name: 'i', category: 'Food' });
    const target = ['DummyItem', 'dummyitems', id] as const;
    await setColumn(service, target, 'category', 'Drinks');
    const read = record(await owner.call.get(`/dummyitems/${id}`)).props;
    expect(read.category).toBeNull();
    const back = await owner.call.put(`/dummyitems/${id}`, { ...read, name: 'j' });
    expect([back.status, warned(back), record(back).props.name]).toEqual([200, ['442 category'], 'j']);
    expect((await rowOf(service, target))?.category).toBe('Drinks');
    expect(refusal(await owner.call.put(`/dummyitems/${id}`, { category: '' }))).toEqual([
      422,
      441,
      'category',
    ]);
    expect(record(await owner.call.put(`/dummyitems/${id}`, { category: 'Armor' })).props.category).toBe(
      'Armor',
    );
    expect(refusal(await owner.call.put(`/dummyitems/${id}`, { category: null }))).toEqual([
      422,
      441,
      'category',
    ]);
  });

  it('ND-08: output is UTC with milliseconds, whatever the zone of process and database', async () => {
    const { anon, owner } = people;
    const [row] = await service.sql<{ name: string }>('SELECT current_database() AS name');
    const times = (answer: Answer) => {
      const { createdAt, updatedAt } = record(answer).props;
      expect(createdAt).toMatch(ISO);
      expect(updatedAt).toMatch(ISO);
      return [createdAt, updatedAt];
    };
    const before = times(await anon.get(`/users/${owner.id}`));
    expect(Math.abs(Date.parse(String(before[0])) - Date.now())).toBeLessThan(60_000);
    // The service as it is started in life, in other zones; the test's own service goes on beside it.
    await service.sql(`ALTER DATABASE "${row?.name ?? ''}" SET timezone TO 'Asia/Kolkata'`);
    const main = join(process.cwd(), 'dist/src/main.js');
    const child = spawn(process.execPath, [main], {
      env: {
        PATH: process.env.PATH,
        TZ: 'America/New_York',
        PGTZ: 'Asia/Kolkata',
        DATABASE_URL: service.databaseUrl,
        APP_SECRET,
        PORT: '0',
        LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      const [url = ''] = await listening(child);
      const there = new Caller(url, owner.sessionId);
      expect(times(await there.get(`/users/${owner.id}`))).toEqual(before);
      expectList(
        await there.get(`/users?createdAt=${String(before[0])}&_end_createdAt=${String(before[0])}`),
        [owner.id],
      );
      // A write in that zone is read as the same instant here.
      const key = await there.post('/apikeys', { name: 'zone', expiresAt: '2036-07-01T00:00:00.000Z' });
      expect(record(key).props.expiresAt).toBe('2036-07-01T00:00:00.000Z');
      expect(Math.abs(Date.parse(String(record(key).props.createdAt)) - Date.now())).toBeLessThan(60_000);
      const here = await owner.call.get(`/apikeys/${idOf(key)}`);
      expect(record(here).props).toEqual(record(key).props);
    } finally {
      await service.sql(`ALTER DATABASE "${row?.name ?? ''}" RESET timezone`);
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    }
  });
});
