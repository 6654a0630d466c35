import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Ids } from '../../src/record/ids/ids.js';
import { TEST_KINDS } from '../kinds/kinds.js';
import type { Caller } from '../support/client.js';
import { addPerson, type Fixture, PASSWORD, resetFixture } from '../support/fixture.js';
import { startTestService, type TestService } from '../support/service.js';
import {
  addBelongings,
  addOwnerless,
  type Belongings,
  callers,
  column,
  expectAbsent,
  expectList,
  expectNonInterference,
  expectNoOracle,
  expectPublicUser,
  expectRows,
  idOf,
  idsOf,
  list,
  made,
  NONSENSE,
  paging,
  questions,
  record,
  refusal,
  rowId,
  setColumn,
  unusedId,
  warned,
} from './data-helpers.js';

/*
 * Reading: families oracle-search, oracle-filter-sort and field-visibility. ObjectFile and CronJob do not exist here;
 * Invoice, LineItem and Remark (rows or props of owners) and Topic (rows of roles) stand for them.
 */

let service: TestService;
let people: Fixture;
/** `mark`s are olive and otto; numbers 7 and 50. */
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

const users = () => [people.owner.id, people.other.id, people.admin.id];
const things = () => [olives.thing, ottos.thing, nobodys.thing];
const lineItems = () => [olives.lineItem, ottos.lineItem, nobodys.lineItem];
/** What nobody but owner and admin may read anywhere. */
const secretsOfOwner = () => [people.owner.email, people.owner.realName, 'secret-olive', 'Bill of olive'];

describe('oracle-search', () => {
  it('OS-01: anonymous keyword search confirms no hidden e-mail, name or username', async () => {
    const { anon } = people;
    const answer = await expectNoOracle(
      anon,
      200,
      ['owner.secret@mail.test', 'owner.secret', 'OWNER.SECRET', '@', 'Olive', 'owner_u', 'a', NONSENSE].map(
        (guess) => `/users?search=${encodeURIComponent(guess)}`,
      ),
    );
    expectList(answer, []);
    expect(warned(answer)).toEqual(['403 search']);
    // Positive control: without the search everybody is there.
    expectList(await anon.get('/users'), users());
  });

  it('OS-01: nor does the search of a stranger, who sees such props of its own row', async () => {
    const { owner, other } = people;
    const answer = await expectNoOracle(
      other.call,
      200,
      [owner.email, 'owner.secret', 'olive', 'OLIVE', owner.username, 'wner', NONSENSE].map(
        (guess) => `/users?search=${encodeURIComponent(guess)}&includeMeta=true&includeLinks=true`,
      ),
    );
    expectList(answer, []);
    // A guess that is right about both rows finds the own one alone.
    expectList(await other.call.get('/users?search=.secret%40mail.test'), [other.id]);
    expectList(await other.call.get('/users?search=OTHER.SECRET'), [other.id]);
    expectList(await other.call.get(`/users?search=${owner.email}&search=${other.username}`), [other.id]);
  });

  it('OS-01: rows that inherit their owner are searched where they are owned, at any depth', async () => {
    const { anon, owner, other, admin } = people;
    expectList(await other.call.get('/dummyremarks?search=remark'), [ottos.remark]);
    expectList(await owner.call.get('/dummyremarks?search=remark'), [olives.remark]);
    expectList(await admin.call.get('/dummyremarks?search=remark'), [olives.remark, ottos.remark]);
    await expectNoOracle(other.call, 200, [
      '/dummyremarks?search=of%20olive',
      `/dummyremarks?search=${NONSENSE}`,
    ]);
    await expectNoOracle(anon, 401, ['/dummyremarks?search=of%20olive', `/dummyremarks?search=${NONSENSE}`]);
  });

  it('OS-03: search works for the people who may see the prop', async () => {
    const { owner, other, admin } = people;
    expectList(await owner.call.get('/users?search=Olive'), [owner.id]);
    expectList(await owner.call.get('/users?search=owner.secret'), [owner.id]);
    expectList(await admin.call.get('/users?search=Olive'), [owner.id]);
    expectList(await admin.call.get('/users?search=_U'), users());
    const answer = await expectNoOracle(other.call, 200, [
      '/users?search=Olive',
      `/users?search=${NONSENSE}`,
    ]);
    expectList(answer, []);
    expect(warned(answer)).toEqual([]);
  });

  it('OS-03: public props are searched for everybody, beside hidden ones of the same row', async () => {
    const { anon, owner, other } = people;
    expectList(await anon.get('/dummythings?search=thing%20of'), things());
    expectList(await anon.get('/dummythings?search=OLIVE'), [olives.thing]);
    expectList(await anon.get('/dummylineitems?search=line%20of%20o'), [olives.lineItem, ottos.lineItem]);
    // "secret-" stands in the secret of every thing, and in a public note of one.
    await setColumn(service, ['DummyThing', 'dummythings', nobodys.thing], 'note', 'no secret-at all');
    expectList(await anon.get('/dummythings?search=secret-'), [nobodys.thing]);
    expectList(await owner.call.get('/dummythings?search=secret-'), [olives.thing, nobodys.thing]);
    expectList(await other.call.get('/dummythings?search=secret-'), [ottos.thing, nobodys.thing]);
    expectList(await people.admin.call.get('/dummythings?search=secret-'), things());
    // An enum takes part like a string.
    await setColumn(service, ['DummyThing', 'dummythings', ottos.thing], 'colour', 'green');
    expectList(await anon.get('/dummythings?search=gree'), [ottos.thing]);
  });

  it('OS-04: search never touches the secrets of API keys', async () => {
    const { owner, other, admin } = people;
    const answer = await expectNoOracle(
      other.call,
      200,
      ['pk_', owner.key.privateKey, owner.key.privateKey.slice(0, 8), NONSENSE].map(
        (guess) => `/apikeys?search=${guess}`,
      ),
    );
    expectList(answer, []);
    const [key] = await service.sql<{ secretHash: string }>(
      'SELECT "secretHash" FROM apikeys WHERE id = $1',
      [rowId(service, 'APIKey', owner.key.id)],
    );
    for (const text of [owner.key.privateKey.slice(0, 8), 'pk_', key?.secretHash.slice(0, 6) ?? '?']) {
      expectList(await owner.call.get(`/apikeys?search=${text}`), []);
      expectList(await admin.call.get(`/apikeys?search=${text}`), []);
    }
    expectList(await owner.call.get('/apikeys?search=ALPHA'), [owner.key.id]);
  });

  it('OS-06: counts and pages of a search are no oracle either', async () => {
    const { other } = people;
    const answer = await expectNoOracle(
      other.call,
      200,
      ['owner.secret', 'Olive', NONSENSE].map((guess) => `/users?search=${guess}&itemsPerPage=1&page=1`),
    );
    expect(paging(answer)).toEqual({
      page: 1,
      nextPage: 1,
      previousPage: 1,
      itemsPerPage: 1,
      totalItems: 0,
      totalPages: 0,
    });
    await expectNoOracle(
      other.call,
      200,
      ['owner.secret', NONSENSE].map((guess) => `/users?search=${guess}&itemsPerPage=1&page=2`),
    );
    // ".secret" is in all three rows; the own one counts.
    expect(paging(await other.call.get('/users?search=.secret&itemsPerPage=1'))).toMatchObject({
      totalItems: 1,
      totalPages: 1,
      nextPage: 1,
    });
  });

  it('OS-08: columns that are no props can be neither searched, filtered nor sorted by', async () => {
    // Storage keys come with files; password, key and session hashes and folded names are such columns too.
    const { admin, anon, owner } = people;
    const [user] = await service.sql<{ passwordHash: string; emailFolded: string }>(
      'SELECT "passwordHash", "emailFolded" FROM users WHERE id = $1',
      [rowId(service, 'User', owner.id)],
    );
    await setColumn(service, ['User', 'users', owner.id], 'usernameFolded', 'folded-only-text');
    for (const text of [user?.passwordHash.slice(0, 9) ?? '?', user?.passwordHash ?? '?', 'folded-only']) {
      const guess = encodeURIComponent(text);
      expectList(await owner.call.get(`/users?search=${guess}`), []);
      expectList(await admin.call.get(`/users?search=${guess}`), []);
      await expectNoOracle(anon, 200, [`/users?search=${guess}`, `/users?search=${NONSENSE}`]);
    }
    for (const name of ['passwordHash', 'usernameFolded', 'emailFolded', 'password']) {
      expect(refusal(await admin.call.get(`/users?sortBy=${name}`))).toEqual([422, 442, 'sortBy']);
      // Without the harness: the warning repeats the parameter's name, which the harness takes for a leak.
      const ask = async (guess: string) => {
        const url = `${service.url}/api/v1/users?${name}=${encodeURIComponent(guess)}`;
        return (await fetch(url, { headers: { cookie: `appSessionId=${admin.sessionId}` } })).json();
      };
      const all = { paging: { totalItems: 3 }, warnings: [{ code: 400, data: name }] };
      const right = await ask(String(user?.[name as keyof typeof user] ?? PASSWORD));
      expect(right).toMatchObject(all);
      expect(right).toEqual(await ask(NONSENSE));
      expect(right).toEqual(await ask('null'));
    }
    expect(refusal(await admin.call.get('/apikeys?sortBy=secretHash'))).toEqual([422, 442, 'sortBy']);
  });

  it('OS-08: a prop that nobody may see is not searched, not even for owners and admins', async () => {
    const { owner, admin } = people;
    await setColumn(service, ['DummyThing', 'dummythings', olives.thing], 'guarded', 'hidden-olive');
    expectList(await owner.call.get('/dummythings?search=hidden-olive'), []);
    expectList(await admin.call.get('/dummythings?search=hidden-olive'), []);
    expectList(await owner.call.get('/dummythings?search=secret-olive'), [olives.thing]);
  });
});

describe('oracle-filter-sort', () => {
  it('OF-01: role qualifiers do not tell strangers who is an administrator', async () => {
    const { anon, owner, other, admin } = people;
    for (const role of ['admin', 'developer']) {
      const guesses = ['true', 'false', '!=true', '<>false', 'null', '!=null', 'maybe', '>true', '>'];
      const answer = await expectNoOracle(
        anon,
        403,
        guesses.map((guess) => `/users?${role}=${guess}&itemsPerPage=100`),
      );
      expect(refusal(answer)).toEqual([403, 403, role]);
      await expectNoOracle(anon, 403, [`/users?${role}=true&${role}=false`, `/users?${role}=true`]);
    }
    // A stranger compares its own row alone.
    expectList(await other.call.get('/users?admin=true'), []);
    expectList(await other.call.get('/users?admin=false'), [other.id]);
    expectList(await other.call.get('/users?admin=!=true'), [other.id]);
    expectList(await other.call.get('/users?admin=!=null'), [other.id]);
    expectList(await other.call.get('/users?admin=true&admin=false'), [other.id]);
    // Positive control.
    expectList(await admin.call.get('/users?admin=true&itemsPerPage=100'), [admin.id]);
    expectList(await admin.call.get('/users?admin=false'), [owner.id, other.id]);
    expectList(await admin.call.get('/users?admin=null'), []);
  });

  it('OF-03: sorting by a hidden prop does not reveal its order', async () => {
    const { anon, owner, other, admin } = people;
    const added = [];
    for (const letter of ['m', 'z', 'a']) {
      added.push(await addPerson(service, `${letter}_user`, `${letter}@mail.test`, `${letter} name`));
    }
    const rest = [owner.id, admin.id, ...added.map(({ id }) => id)];
    const hidden = [
      'email',
      'username',
      'realName',
      'admin',
      'developer',
      'verifiedEmail',
      'useAsDisplayName',
    ];
    for (const prop of hidden) {
      const refused = await expectNoOracle(anon, 403, [
        `/users?sortBy=${prop}&sortOrder=asc`,
        `/users?sortBy=${prop}&sortOrder=desc`,
      ]);
      expect(refusal(refused)).toEqual([403, 403, prop]);
      // The own row has a value, all others sort as null: last in ascending order, then by id.
      expectList(await other.call.get(`/users?sortBy=${prop}`), [other.id, ...rest]);
      expectList(await other.call.get(`/users?sortBy=${prop}&sortOrder=desc`), [
        ...[...rest].reverse(),
        other.id,
      ]);
    }
    expectList(await anon.get('/users?sortBy=createdAt'), [owner.id, other.id, ...rest.slice(1)]);
    // Positive control: m, z, a are sorted for whoever sees their addresses.
    const [m, z, a] = added.map(({ id }) => id);
    expectList(
      await admin.call.get('/users?sortBy=email'),
      [a, admin.id, m, other.id, owner.id, z].map(String),
    );
  });

  it('OF-04: no binary search through the attacker’s own row', async () => {
    const { owner, other } = people;
    for (const [prop, values] of Object.entries({
      email: ['a@mail.test', 'p@mail.test', 'z@mail.test'],
      realName: ['AAA', 'Olive Ownez', 'ZZZ', null],
      username: ['aaa', 'zzz'],
    })) {
      const seen = new Set<string>();
      for (const value of values) {
        expect(
          (await other.call.put(`/users/${other.id}`, { [prop]: value, currentPassword: PASSWORD })).status,
        ).toBe(200);
        const ascending = await other.call.get(`/users?sortBy=${prop}&itemsPerPage=100`);
        expectRows(ascending, users());
        const others = idsOf(ascending).filter((id) => id !== other.id);
        expect(others).toEqual([owner.id, people.admin.id]);
        if (value !== null) seen.add(idsOf(ascending).join());
      }
      expect([prop, seen.size]).toEqual([prop, 1]);
    }
    // The same with a hidden string and a hidden int of a thing.
    for (const [prop, values] of Object.entries({
      secret: ['a', 'secret-olivf', 'zzz'],
      score: [-1000, 8, 99999],
    })) {
      for (const value of values) {
        expect((await other.call.put(`/dummythings/${ottos.thing}`, { [prop]: value })).status).toBe(200);
        const answer = await other.call.get(`/dummythings?sortBy=${prop}`);
        expectList(answer, [ottos.thing, olives.thing, nobodys.thing]);
      }
    }
  });

  it('OF-06: dotted and nested paths do not reach props of related kinds', async () => {
    const { anon, other, admin } = people;
    for (const path of [
      '/dummylineitems?invoice.title=',
      '/dummylineitems?invoice%5Btitle%5D=',
      '/dummylineitems?invoiceId.title=',
      '/dummythings?user.email=',
      '/dummythings?user%5Bemail%5D=',
      '/dummythings?buddy.email=',
      '/dummythings?_start_user.createdAt=',
      '/dummythings?search%5Bemail%5D=',
      '/dummythings?search%5B%5D=',
    ]) {
      for (const caller of [anon, other.call, admin.call]) {
        const answer = await expectNoOracle(
          caller,
          200,
          ['Bill of olive', 'owner.secret@mail.test', 'nobody@mail.test', 'null', '!=null'].map(
            (guess) => path + encodeURIComponent(guess),
          ),
        );
        expectList(answer, path.startsWith('/dummythings') ? things() : lineItems());
        const name = decodeURIComponent(path.slice(path.indexOf('?') + 1, -1));
        expect(warned(answer)).toEqual([`400 ${name}`]);
      }
    }
    for (const sortBy of [
      'user.email',
      'user%5Bemail%5D',
      'userId.email',
      'users.email',
      't.secret',
      'user',
    ]) {
      expect(refusal(await anon.get(`/dummythings?sortBy=${sortBy}`))).toEqual([422, 442, 'sortBy']);
      expect(refusal(await admin.call.get(`/dummythings?sortBy=${sortBy}`))).toEqual([422, 442, 'sortBy']);
    }
    expect(refusal(await other.call.get('/apikeys?sortBy=user.admin'))).toEqual([422, 442, 'sortBy']);
    expect(refusal(await anon.get('/apikeys?sortBy=user.admin'))).toEqual([401, 401, null]);
    expect(refusal(await anon.get('/dummythings?includeRelated=user.apikeys'))).toEqual([
      422,
      442,
      'includeRelated',
    ]);
  });

  it('OF-08: a null test on a prop that nobody may see is refused whatever is stored', async () => {
    const { anon, owner, other, admin } = people;
    await setColumn(service, ['DummyThing', 'dummythings', ottos.thing], 'guarded', 'set for other');
    for (const caller of [anon, owner.call, other.call, admin.call]) {
      const answer = await expectNoOracle(caller, 403, [
        '/dummythings?guarded=null',
        '/dummythings?guarded=!=null',
        '/dummythings?guarded=%3C%3Enull',
        '/dummythings?guarded=set%20for%20other',
        '/dummythings?guarded=%3Ea',
        '/dummythings?guarded=null&guarded=!=null',
      ]);
      expect(refusal(answer)).toEqual([403, 403, 'guarded']);
      const sorted = await expectNoOracle(caller, 403, [
        '/dummythings?sortBy=guarded',
        '/dummythings?sortBy=guarded&sortOrder=desc',
      ]);
      expect(refusal(sorted)).toEqual([403, 403, 'guarded']);
    }
  });

  it('OF-08: a null test on a prop of owners speaks of own rows alone', async () => {
    const { anon, owner, other, admin } = people;
    await setColumn(service, ['DummyThing', 'dummythings', olives.thing], 'secret', null);
    for (const prop of ['secret', 'score', 'buddyId']) {
      const answer = await expectNoOracle(anon, 403, [
        `/dummythings?${prop}=null`,
        `/dummythings?${prop}=!=null`,
      ]);
      expect(refusal(answer)).toEqual([403, 403, prop]);
    }
    expectList(await other.call.get('/dummythings?secret=null'), []);
    expectList(await other.call.get('/dummythings?secret=!=null'), [ottos.thing]);
    expectList(await other.call.get('/dummythings?secret=%3C%3Esecret-otto'), []);
    expectList(await other.call.get('/dummythings?secret=!=x'), [ottos.thing]);
    expectList(await owner.call.get('/dummythings?secret=null'), [olives.thing]);
    expectList(await admin.call.get('/dummythings?secret=null'), [olives.thing]);
    expectList(await admin.call.get('/dummythings?secret=!=null'), [ottos.thing, nobodys.thing]);
    expectList(await other.call.get('/dummythings?buddyId=null'), [ottos.thing]);
  });

  it('OF-09: an undeclared qualifier is warned about, by its name', async () => {
    const { admin } = people;
    for (const [path, name] of [
      ['/users?verifiedEmail=true', 'verifiedEmail'],
      ['/users?nosuchprop=1', 'nosuchprop'],
      ['/users?email=owner.secret@mail.test', 'email'],
      ['/users?Admin=true', 'Admin'],
      ['/users?_start_admin=true', '_start_admin'],
      ['/users?_from_createdAt=2020-01-01', '_from_createdAt'],
      ['/users?__proto__=1', '__proto__'],
      ['/users?constructor=1', 'constructor'],
    ] as const) {
      const answer = await admin.call.get(path);
      expectList(answer, users());
      expect([path, warned(answer)]).toEqual([path, [`400 ${name}`]]);
    }
    expect(warned(await admin.call.get('/users?admin=true'))).toEqual([]);
    // The warning stands beside a record too, and names each parameter once.
    expect(warned(await admin.call.get(`/users/${people.owner.id}?search=x&search=y&zz=1`))).toEqual([
      '400 search',
      '400 zz',
    ]);
  });

  it('OF-11: rows of roles are not enumerable by content', async () => {
    // CronJob is such a kind; Topic has rows of admins and developers.
    const { anon, owner, other, admin } = people;
    const dev = await addPerson(service, 'dev_u', 'dev@mail.test', 'Dev Eloper', { developer: true });
    const topic = await made(admin.call, '/dummytopics', { title: 'Test', weight: 5, thingId: olives.thing });
    const ways = [
      '',
      '?title=Test',
      '?title=Nope',
      '?title=null',
      '?search=Tes',
      '?sortBy=title',
      '?_start_weight=5',
    ];
    const strangers = await expectNoOracle(
      other.call,
      403,
      ways.map((way) => `/dummytopics${way}`),
    );
    expectAbsent(strangers, ['Test', topic, olives.thing]);
    expectAbsent(
      await expectNoOracle(
        anon,
        401,
        ways.map((way) => `/dummytopics${way}`),
      ),
      ['Test', topic],
    );
    // To own what a topic is about gives no right to the topic.
    await expectNoOracle(
      owner.call,
      403,
      ways.map((way) => `/dummytopics${way}`),
    );
    for (const caller of [anon, owner.call, other.call]) {
      const byId = await expectNoOracle(caller, 404, [
        `/dummytopics/${topic}`,
        `/dummytopics/${unusedId(service, 'DummyTopic')}`,
      ]);
      expectAbsent(byId, ['Test']);
      await expectNoOracle(caller, 404, [
        `/dummytopics/${topic}/thing`,
        `/dummytopics/${unusedId(service, 'DummyTopic')}/thing`,
      ]);
    }
    expect((await anon.get('/dummytopics/options')).status).toBe(401);
    expect((await other.call.get('/dummytopics/options')).status).toBe(403);
    // Positive controls; a developer sees the rows, but not the weight, which is for admins.
    expectList(await admin.call.get('/dummytopics?title=Test'), [topic]);
    expectList(await admin.call.get('/dummytopics?title=Nope'), []);
    expectList(await dev.call.get('/dummytopics?title=Test'), [topic]);
    await expectNoOracle(dev.call, 403, [
      '/dummytopics?_start_weight=5',
      '/dummytopics?_start_weight=6',
      '/dummytopics?_end_weight=4',
      '/dummytopics?sortBy=weight',
    ]);
    expect(record(await dev.call.get(`/dummytopics/${topic}`)).props).not.toHaveProperty('weight');
    expect(record(await admin.call.get(`/dummytopics/${topic}`)).props.weight).toBe(5);
  });

  it('OF-11: hidden rows are absent from lists, totals, filters and sorts, and 404 by id', async () => {
    const { anon, owner, other, admin } = people;
    const foreign = [
      '/dummyinvoices?title=Bill%20of%20olive',
      '/dummyinvoices?title=Bill%20of%20nobody',
      `/dummyinvoices?userId=${owner.id}`,
      '/dummyinvoices?search=olive',
      '/dummyinvoices?title=null',
      '/dummyinvoices?title=%3CBill%20of%20otto',
    ];
    expectList(await expectNoOracle(other.call, 200, foreign), []);
    expectList(await other.call.get('/dummyinvoices?title=!=x&sortBy=title&sortOrder=desc'), [ottos.invoice]);
    expectList(await other.call.get(`/dummyinvoices?userId=!=${people.other.id}`), []);
    expect(refusal(await expectNoOracle(anon, 401, ['/dummyinvoices', ...foreign]))).toEqual([
      401,
      401,
      null,
    ]);
    for (const caller of [anon, other.call]) {
      for (const rest of ['', '/dummylineitems', '/user', '?includeRelated=user&includeMeta=true']) {
        const answer = await expectNoOracle(caller, 404, [
          `/dummyinvoices/${olives.invoice}${rest}`,
          `/dummyinvoices/${unusedId(service, 'DummyInvoice')}${rest}`,
          `/dummyinvoices/${olives.thing}${rest}`,
        ]);
        expectAbsent(answer, ['olive', people.owner.id]);
      }
    }
    expectList(await admin.call.get('/dummyinvoices?sortBy=title'), [olives.invoice, ottos.invoice]);
    expectList(await owner.call.get(`/dummyinvoices/${olives.invoice}/lineitems`), [olives.lineItem]);
    expectList(await admin.call.get(`/dummyinvoices?userId=${owner.id}`), [olives.invoice]);
  });

  it('OF-11: a child list is never wider than its parent, whatever is asked', async () => {
    const { owner, other, admin } = people;
    const second = await made(owner.call, '/dummyinvoices', { title: 'second' });
    const lists = `/dummyinvoices/${second}/lineitems`;
    for (const caller of [owner.call, admin.call]) {
      expectList(await caller.get(lists), []);
      expectList(await caller.get(`${lists}?invoiceId=${olives.invoice}`), []);
      expectList(await caller.get(`${lists}?invoiceId=!=${second}&invoiceId=null&invoiceId=${second}`), []);
      expectList(await caller.get(`${lists}?search=line&sortBy=price&includeRelated=invoice`), []);
    }
    // Rows of owners stay so in the child list of a row that is public.
    for (const query of [
      '',
      '?search=Remark',
      `?lineItemId=${olives.lineItem}`,
      '?sortBy=text&sortOrder=desc',
    ]) {
      expectList(await other.call.get(`/dummylineitems/${olives.lineItem}/remarks${query}`), []);
      expectList(await owner.call.get(`/dummylineitems/${olives.lineItem}/remarks${query}`), [olives.remark]);
    }
    expect((await people.anon.get(`/dummylineitems/${olives.lineItem}/remarks`)).status).toBe(401);
  });

  it('OF-11: HEAD says no more than GET', async () => {
    const { anon, owner, other } = people;
    for (const path of [
      `/dummyinvoices/${olives.invoice}`,
      `/dummythings/${olives.thing}`,
      `/users/${owner.id}`,
      '/dummyinvoices',
      '/users?admin=true',
      '/users?search=Olive',
    ]) {
      for (const caller of [anon, other.call, owner.call]) {
        const get = await caller.get(path);
        const head = await caller.send('HEAD', path);
        const length = head.headers.get('content-length');
        expect([path, head.status, head.text, head.headers.get('etag')]).toEqual([
          path,
          get.status,
          '',
          get.headers.get('etag'),
        ]);
        if (length !== null) expect([path, length]).toEqual([path, String(Buffer.byteLength(get.text))]);
      }
    }
  });

  it('OF-12 (beyond the cases): ranges on hidden ints', async () => {
    const { anon, owner, other, admin } = people;
    for (const [path, prop] of [
      ['/dummythings', 'score'],
      ['/dummylineitems', 'price'],
    ] as const) {
      const ranges = [7, 8, 50, 51, 0].flatMap((n) => [
        `${path}?_start_${prop}=${n}`,
        `${path}?_end_${prop}=${n}`,
        `${path}?_start_${prop}=${n}&_end_${prop}=${n}`,
        `${path}?${prop}=${n}`,
        `${path}?${prop}=%3E${n}`,
      ]);
      const refused = await expectNoOracle(anon, 403, [...ranges, `${path}?_start_${prop}=x`]);
      expect(refusal(refused)).toEqual([403, 403, prop]);
      const own = path === '/dummythings' ? ottos.thing : ottos.lineItem;
      const foreign = path === '/dummythings' ? olives.thing : olives.lineItem;
      // 7 belongs to olive: a stranger’s ranges around it find nothing but what is its own (50).
      const blind = await expectNoOracle(other.call, 200, [
        `${path}?_start_${prop}=7&_end_${prop}=7`,
        `${path}?_start_${prop}=6&_end_${prop}=8`,
        `${path}?_end_${prop}=49`,
        `${path}?${prop}=7`,
        `${path}?${prop}=%3C50`,
      ]);
      expectList(blind, []);
      expectList(await other.call.get(`${path}?_start_${prop}=0`), [own]);
      expectList(await other.call.get(`${path}?_start_${prop}=50&_end_${prop}=50`), [own]);
      expectList(await owner.call.get(`${path}?_end_${prop}=7`), [foreign]);
      expectList(await admin.call.get(`${path}?_start_${prop}=7&_end_${prop}=50`), [foreign, own]);
    }
    // A role that the view list names sees all rows, those of nobody too.
    const dev = await addPerson(service, 'dev_u', 'dev@mail.test', 'Dev Eloper', { developer: true });
    expectList(await dev.call.get('/dummythings?_start_score=7&sortBy=score&sortOrder=desc'), [
      nobodys.thing,
      ottos.thing,
      olives.thing,
    ]);
    await expectNoOracle(dev.call, 200, ['/dummylineitems?_start_price=7', '/dummylineitems?_start_price=8']);
  });
});

describe('non-interference: what is hidden may change and no answer tells', () => {
  const thing = (): readonly [string, string, string] => ['DummyThing', 'dummythings', olives.thing];
  const user = (): readonly [string, string, string] => ['User', 'users', people.owner.id];

  const included = () => [
    `/dummythings/${olives.thing}?includeMeta=true&includeLinks=true&includeOptions=true&includeRelated=user,buddy`,
    `/dummythings/${olives.thing}/buddy`,
    `/dummythings/${olives.thing}/user`,
    '/dummythings?includeRelated=buddy&includeRelated=user&includeMeta=true',
    '/dummythings/options',
  ];

  it.each([
    ['secret', ['aaa-secret', 'zzz-secret', '', null], 'secret=aaa-secret'],
    ['score', [-5, 49, 51, null], 'score=49'],
  ] as const)('OS/OF: DummyThing.%s of another', async (prop, values, question) => {
    const { anon, owner, other, admin } = people;
    await expectNonInterference({
      changes: values.map((value) => () => setColumn(service, thing(), prop, value)),
      paths: [...questions('/dummythings', prop, values.map(String)), ...included()],
      blind: { anon, other: other.call },
      seeing: { owner: owner.call, admin: admin.call },
      telling: [
        `/dummythings/${olives.thing}`,
        '/dummythings',
        `/dummythings?${question}`,
        `/dummythings?${prop}=null`,
      ],
    });
    // The own rows of a stranger are still found by the same questions.
    expect(column(await other.call.get(`/dummythings?${prop}=!=null`), 'id')).toEqual([ottos.thing]);
  });

  it('OS/OF: DummyThing.guarded, even for its owner and admins', async () => {
    const values = ['aaa-hidden', 'zzz-hidden', null];
    await expectNonInterference({
      changes: values.map((value) => () => setColumn(service, thing(), 'guarded', value)),
      paths: [...questions('/dummythings', 'guarded', values.map(String)), ...included()],
      blind: callers(people),
    });
  });

  it('OS/OF: DummyThing.buddyId, a relation that only owners may know of', async () => {
    const { anon, owner, other, admin } = people;
    const ids = [owner.id, other.id, admin.id];
    await expectNonInterference({
      changes: [...ids, null].map(
        (id) => () => setColumn(service, thing(), 'buddyId', id && rowId(service, 'User', id)),
      ),
      paths: [...questions('/dummythings', 'buddyId', ids), ...included()],
      blind: { anon, other: other.call },
      seeing: { owner: owner.call, admin: admin.call },
      telling: [
        `/dummythings/${olives.thing}`,
        `/dummythings/${olives.thing}/buddy`,
        `/dummythings?buddyId=${other.id}`,
        `/dummythings/${olives.thing}?includeRelated=buddy`,
      ],
    });
  });

  it.each([
    ['email', ['aaa@mail.test', 'ozz@mail.test', 'zzz@mail.test'], 'search=aaa@mail.test'],
    ['realName', ['Aaa Name', 'Zzz Name', 'Otto Other', null], 'search=Aaa'],
    ['admin', [true, false], 'admin=true'],
    ['developer', [true, false], 'developer=true'],
    ['verifiedEmail', [true, false], 'sortBy=verifiedEmail'],
    ['useAsDisplayName', ['username', 'realName'], 'sortBy=useAsDisplayName'],
  ] as const)('OS/OF: User.%s of another', async (prop, values, question) => {
    const { anon, owner, other, admin } = people;
    // A prop that is shown as the display name is public by its owner’s choice; that is no oracle.
    const asked = questions('/users', prop, values.map(String));
    const paths = prop === 'useAsDisplayName' ? asked.filter((path) => !path.includes('includeMeta')) : asked;
    await expectNonInterference({
      changes: values.map((value) => () => setColumn(service, user(), prop, value)),
      paths: [
        ...paths,
        `/users/${owner.id}`,
        `/users/${owner.id}/apikeys`,
        `/dummythings/${olives.thing}/user`,
        '/dummythings?includeRelated=user',
        '/users/options',
      ],
      blind: { anon, other: other.call },
      seeing: { admin: admin.call },
      telling: [`/users/${owner.id}`, '/users', `/users?${question}`, `/dummythings/${olives.thing}/user`],
    });
  });

  it('OS/OF: User.username of another, but for the display name', async () => {
    const { anon, owner, other, admin } = people;
    const values = ['aaa_u', 'ozz_u', 'zzz_u'];
    await expectNonInterference({
      changes: values.map((value) => () => setColumn(service, user(), 'username', value)),
      paths: questions('/users', 'username', values).filter((path) => !path.includes('includeMeta')),
      blind: { anon, other: other.call },
      seeing: { owner: owner.call, admin: admin.call },
      telling: [`/users/${owner.id}`, '/users?sortBy=username', '/users?search=aaa_u'],
    });
  });

  it('OS/OF: DummyLineItem.price of a public row that another owns through its invoice', async () => {
    const { anon, owner, other, admin } = people;
    const values = [0, 49, 51, null];
    const item: readonly [string, string, string] = ['DummyLineItem', 'dummylineitems', olives.lineItem];
    await expectNonInterference({
      changes: values.map((value) => () => setColumn(service, item, 'price', value)),
      paths: [
        ...questions('/dummylineitems', 'price', values.map(String)),
        `/dummylineitems/${olives.lineItem}?includeMeta=true&includeLinks=true&includeRelated=invoice`,
      ],
      blind: { anon, other: other.call },
      seeing: { owner: owner.call, admin: admin.call },
      telling: [
        `/dummylineitems/${olives.lineItem}`,
        '/dummylineitems?_end_price=0',
        '/dummylineitems?price=null',
      ],
    });
  });

  it('OS/OF: what is hidden on rows of nobody, from admins too where the owner is inherited', async () => {
    const { anon, owner, other, admin } = people;
    const lineItem: readonly [string, string, string] = ['DummyLineItem', 'dummylineitems', nobodys.lineItem];
    await expectNonInterference({
      changes: [1, 49, 99, null].map((value) => () => setColumn(service, lineItem, 'price', value)),
      paths: [
        ...questions('/dummylineitems', 'price', ['1', '49', '99']),
        `/dummylineitems/${nobodys.lineItem}`,
      ],
      blind: { anon, owner: owner.call, other: other.call, admin: admin.call },
    });
    const nobodysThing: readonly [string, string, string] = ['DummyThing', 'dummythings', nobodys.thing];
    await expectNonInterference({
      changes: ['aaa', 'zzz', null].map((value) => () => setColumn(service, nobodysThing, 'secret', value)),
      paths: [...questions('/dummythings', 'secret', ['aaa', 'zzz']), `/dummythings/${nobodys.thing}`],
      blind: { anon, owner: owner.call, other: other.call },
      seeing: { admin: admin.call },
      telling: [
        '/dummythings',
        '/dummythings?secret=aaa',
        '/dummythings?search=zzz',
        '/dummythings?sortBy=secret',
      ],
    });
  });

  it('OS/OF: whole rows that are hidden come and go unseen', async () => {
    const { anon, owner, other, admin } = people;
    const userId = rowId(service, 'User', owner.id);
    const lineItemId = rowId(service, 'DummyLineItem', olives.lineItem);
    const run = (text: string, values: unknown[] = []) => service.sql(text, values);
    await expectNonInterference({
      changes: [
        () => Promise.resolve(),
        () => run(`INSERT INTO dummyinvoices (title, "userId") VALUES ('AAA', $1), ('ZZZ', $1)`, [userId]),
        () =>
          run(`INSERT INTO dummyremarks (text, "lineItemId") VALUES ('AAA', $1), ('ZZZ', $1)`, [lineItemId]),
        () => run(`INSERT INTO apikeys (name, "userId", "secretHash") VALUES ('AAA', $1, 'x')`, [userId]),
        () => run(`INSERT INTO dummytopics (title) VALUES ('AAA'), ('ZZZ')`),
        () => run(`DELETE FROM dummyremarks WHERE "lineItemId" = $1`, [lineItemId]),
        () => run(`DELETE FROM dummytopics`),
      ],
      paths: [
        ...questions('/dummyinvoices', 'title', ['AAA', 'ZZZ']),
        ...questions('/dummyremarks', 'text', ['AAA', 'ZZZ']),
        ...questions('/apikeys', 'name', ['AAA']),
        ...questions('/dummytopics', 'title', ['AAA', 'ZZZ']),
        `/users/${owner.id}/apikeys`,
        `/dummyinvoices?userId=${owner.id}`,
        `/dummyremarks?lineItemId=${olives.lineItem}`,
        `/dummylineitems/${olives.lineItem}/remarks`,
        `/dummylineitems/${olives.lineItem}?includeLinks=true&includeMeta=true`,
        `/users/${owner.id}?includeLinks=true&includeMeta=true`,
      ],
      blind: { anon, other: other.call },
      seeing: { admin: admin.call },
      telling: [
        '/dummyinvoices',
        '/dummyremarks',
        '/apikeys',
        '/dummytopics',
        `/dummylineitems/${olives.lineItem}/remarks`,
      ],
    });
  });
});

describe('field-visibility', () => {
  it('FV-01: an anonymous read of a user shows the public props only', async () => {
    const { anon, owner, other } = people;
    for (const caller of [anon, other.call]) {
      const one = await caller.get(
        `/users/${owner.id}?includeMeta=true&includeLinks=true&includeOptions=true`,
      );
      expect(one.status).toBe(200);
      expectPublicUser(record(one).props);
      expect(record(one).meta).toMatchObject({ kind: 'User', displayName: 'owner_u', isOwner: false });
      expect(Object.keys(record(one).options ?? {}).filter((prop) => prop !== 'avatarId')).toEqual([]);
      expectAbsent(one, secretsOfOwner());
    }
    const all = await anon.get('/users?itemsPerPage=100&includeMeta=true');
    expectList(all, users());
    list(all).items.forEach(({ props }) => expectPublicUser(props));
    expect(list(all).items.map(({ meta }) => meta?.displayName)).toEqual(['owner_u', 'other_u', 'admin_u']);
    expectAbsent(all, [...secretsOfOwner(), 'mail.test', 'passwordHash', '$argon2']);
    // Without includeMeta not even the display name.
    expectAbsent(await anon.get(`/users/${owner.id}`), ['owner_u']);
  });

  it('FV-01: owner and admin see what is theirs to see, and never a password', async () => {
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
      const { props } = record(answer);
      expect(
        Object.keys(props)
          .filter((key) => key !== 'avatarId')
          .sort(),
      ).toEqual(full);
      expect(props).toMatchObject({ email: owner.email, realName: 'Olive Owner', admin: false });
    }
    // In a list the own row is whole, the others are public.
    const all = await other.call.get('/users');
    expectList(all, users());
    expect(column(all, 'email')).toEqual([undefined, other.email, undefined]);
    expectAbsent(all, secretsOfOwner());
  });

  it('FV-01: rows of test-only kinds, by owner, stranger, anonymous and role', async () => {
    const { anon, owner, other, admin } = people;
    const dev = await addPerson(service, 'dev_u', 'dev@mail.test', 'Dev Eloper', { developer: true });
    const hiddenOf = async (caller: typeof anon) => {
      const { props } = record(await caller.get(`/dummythings/${olives.thing}`));
      expect(props.name).toBe('Thing of olive');
      return ['secret', 'guarded', 'score', 'buddyId'].filter((prop) => prop in props);
    };
    expect(await hiddenOf(anon)).toEqual([]);
    expect(await hiddenOf(other.call)).toEqual([]);
    expect(await hiddenOf(dev.call)).toEqual(['score']);
    // score lists owner under edit alone: whoever may edit a prop may view it.
    expect(await hiddenOf(owner.call)).toEqual(['secret', 'score', 'buddyId']);
    expect(await hiddenOf(admin.call)).toEqual(['secret', 'score', 'buddyId']);
    expect(column(await other.call.get('/dummythings'), 'secret')).toEqual([
      undefined,
      'secret-otto',
      undefined,
    ]);
    expect(column(await other.call.get('/dummylineitems'), 'price')).toEqual([undefined, 50, undefined]);
    expect(column(await admin.call.get('/dummylineitems'), 'price')).toEqual([7, 50, undefined]);
  });

  it('FV-01: the answers of writes show what the caller may see, no more', async () => {
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
    expectPublicUser(record(signedUp).props);
    expectAbsent(signedUp, ['fresh1@', 'Fresh One', 'hunter2']);
    const changed = await owner.call.put(`/users/${owner.id}?includeMeta=true`, {
      realName: 'Olive O.',
      password: 'hunter2 hunter2',
      currentPassword: PASSWORD,
    });
    expect(record(changed).props).toMatchObject({ realName: 'Olive O.', email: owner.email });
    expectAbsent(changed, ['hunter2', 'password']);
    const removed = await admin.call.delete(`/users/${idOf(signedUp)}?includeMeta=true`);
    expect(record(removed)).toMatchObject({ props: { email: 'fresh1@mail.test' }, meta: { deleted: true } });
    expectAbsent(removed, ['hunter2', 'password']);
    await setColumn(service, ['DummyThing', 'dummythings', olives.thing], 'guarded', 'hidden-olive');
    expectAbsent(await owner.call.put(`/dummythings/${olives.thing}`, { name: 'New' }), ['hidden']);
    expectAbsent(await owner.call.delete(`/dummythings/${olives.thing}`), ['hidden']);
  });

  it('FV-03: related records are filtered for the caller', async () => {
    const { anon, owner, other, admin } = people;
    for (const caller of [anon, other.call]) {
      for (const path of [
        `/dummythings/${olives.thing}?includeRelated=user&includeMeta=true&includeLinks=true`,
        `/dummythings?includeRelated=user&name=Thing%20of%20olive`,
      ]) {
        const answer = await caller.get(path);
        expect(answer.status).toBe(200);
        const envelope =
          path.includes('?name') || path.includes('&name') ? list(answer).items[0] : record(answer);
        expectPublicUser(envelope?.related?.user?.props ?? {});
        expect(envelope?.related?.user?.props.id).toBe(owner.id);
        expectAbsent(answer, [owner.email, owner.realName, 'secret-olive']);
      }
      const parent = await caller.get(`/dummythings/${olives.thing}/user`);
      expect(idOf(parent)).toBe(owner.id);
      expectPublicUser(record(parent).props);
    }
    for (const caller of [owner.call, admin.call]) {
      const answer = await caller.get(`/dummythings/${olives.thing}?includeRelated=user`);
      expect(record(answer).related?.user?.props).toMatchObject({ id: owner.id, email: owner.email });
    }
    const mixed = await other.call.get('/dummythings?includeRelated=user');
    expect(list(mixed).items.map(({ related }) => related?.user?.props.email)).toEqual([
      undefined,
      other.email,
      undefined,
    ]);
    expect(list(mixed).items[2]?.related).toEqual({ user: null });
  });

  it('FV-03: an unknown relation name, a child relation and a path are 442', async () => {
    // The case allows 400 or a warning; decisions.md §6 says 442.
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

  it('FV-03: a related record that the caller may not see is withheld, with a warning', async () => {
    const { anon, owner, other } = people;
    for (const caller of [anon, other.call]) {
      const answer = await caller.get(`/dummylineitems/${olives.lineItem}?includeRelated=invoice`);
      expect(record(answer).related).toEqual({ invoice: null });
      expect(warned(answer)).toEqual(['403 invoice']);
      expectAbsent(answer, ['Bill of olive']);
      expect(refusal(await caller.get(`/dummylineitems/${olives.lineItem}/invoice`))).toEqual([
        404,
        404,
        null,
      ]);
    }
    // Its own invoice stands beside the withheld one.
    const mixed = await other.call.get('/dummylineitems?includeRelated=invoice');
    expect(list(mixed).items.map(({ related }) => related?.invoice?.props.title)).toEqual([
      undefined,
      'Bill of otto',
      undefined,
    ]);
    expectAbsent(mixed, ['Bill of olive']);
    // The relation itself is hidden: the same null, whether there is a buddy or not.
    await setColumn(
      service,
      ['DummyThing', 'dummythings', olives.thing],
      'buddyId',
      rowId(service, 'User', people.admin.id),
    );
    const buddy = await anon.get('/dummythings?includeRelated=buddy');
    expect(list(buddy).items.map(({ related }) => related)).toEqual([
      { buddy: null },
      { buddy: null },
      { buddy: null },
    ]);
    expect(warned(buddy)).toEqual(['403 buddy']);
    expectAbsent(buddy, [people.admin.id]);
    expect((await anon.get(`/dummythings/${olives.thing}/buddy`)).status).toBe(401);
    expect((await other.call.get(`/dummythings/${olives.thing}/buddy`)).status).toBe(403);
    const own = await owner.call.get(`/dummythings/${olives.thing}?includeRelated=buddy`);
    expect(record(own).related?.buddy?.props.id).toBe(people.admin.id);
    expectPublicUser(record(own).related?.buddy?.props ?? {});
    expect(record(own).warnings).toBeUndefined();
    // Nor does it show because another row of the page, where the relation is seen, has the same one.
    await setColumn(
      service,
      ['DummyThing', 'dummythings', ottos.thing],
      'buddyId',
      rowId(service, 'User', people.admin.id),
    );
    const same = await other.call.get('/dummythings?includeRelated=buddy');
    expect(list(same).items.map(({ related }) => related?.buddy?.props.id)).toEqual([
      undefined,
      people.admin.id,
      undefined,
    ]);
    expect(warned(same)).toEqual(['403 buddy']);
  });

  it('FV-04: API keys and their secrets are shown to their owner only, the secret once', async () => {
    const { anon, owner, other, admin } = people;
    const created = await owner.call.post('/apikeys', { name: 'n1', userId: owner.id });
    expect(created.status).toBe(201);
    const key = idOf(created);
    const secret = String(record(created).meta?.privateKey);
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
      await expectNoOracle(caller, 404, [`/apikeys/${key}`, `/apikeys/${unusedId(service, 'APIKey')}`]);
    }
    expect((await anon.get('/apikeys?itemsPerPage=100')).status).toBe(401);
    expectList(await other.call.get('/apikeys?itemsPerPage=100'), [other.key.id]);
    expect((await other.call.get(`/users/${owner.id}/apikeys`)).status).toBe(403);
    expect((await anon.get(`/users/${owner.id}/apikeys`)).status).toBe(401);
    expectAbsent(await owner.call.delete(`/apikeys/${key}?includeMeta=true`), [secret, 'privateKey']);
  });

  it('FV-06: the pre-signed upload URL is private to the create answer', async () => {
    const { anon, owner, other, admin } = people;
    const created = await owner.call.post('/objectfiles', {
      filename: 'a.png',
      contentType: 'image/png',
      sizeInBytes: 100,
    });
    expect(created.status).toBe(201);
    const file = idOf(created);
    const url = new URL(String(record(created).meta?.presignedUrl));
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
      await expectNoOracle(caller, 404, [
        `/objectfiles/${file}?includeMeta=true`,
        `/objectfiles/${unusedId(service, 'ObjectFile')}?includeMeta=true`,
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

  it('FV-08: a change that drops the caller’s own rights is answered with the new rights', async () => {
    const { owner, other } = people;
    await setColumn(service, ['User', 'users', other.id], 'admin', true);
    expect(record(await other.call.get(`/users/${owner.id}`)).props.email).toBe(owner.email);
    const demoted = await other.call.put(`/users/${other.id}?includeMeta=true&includeLinks=true`, {
      admin: false,
    });
    expect(demoted.status).toBe(200);
    expect(record(demoted).props).toMatchObject({ admin: false, email: other.email });
    const after = await other.call.get(`/users/${owner.id}`);
    expectPublicUser(record(after).props);
    expectAbsent(after, secretsOfOwner());
    expectList(await other.call.get('/dummyinvoices'), [ottos.invoice]);
    expect((await other.call.get('/dummytopics')).status).toBe(403);
    // The same by somebody else’s hand: roles are those of the user now, not at login.
    await setColumn(service, ['User', 'users', other.id], 'admin', true);
    expectList(await other.call.get('/dummyinvoices'), [olives.invoice, ottos.invoice]);
    await people.admin.call.put(`/users/${other.id}`, { admin: false });
    expectList(await other.call.get('/dummyinvoices'), [ottos.invoice]);
  });

  it('FV-08: a record that is given up is answered as a stranger sees it', async () => {
    const { owner } = people;
    const given = await owner.call.put(`/dummythings/${olives.thing}?includeMeta=true`, {
      userId: null,
      secret: 'still-secret',
    });
    expect(given.status).toBe(200);
    expect(record(given).props).toMatchObject({ id: olives.thing, userId: null });
    expect(record(given).meta?.isOwner).toBe(false);
    expectAbsent(given, ['still-secret']);
    const moved = await owner.call.put(`/dummylineitems/${olives.lineItem}`, { invoiceId: null, price: 8 });
    expect(moved.status).toBe(200);
    expect(record(moved).props).not.toHaveProperty('price');
  });

  it('FV-09: the default display name is not the e-mail address', async () => {
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
      expect(record(created).meta?.displayName).toBe(username);
      const seen = await anon.get(`/users/${idOf(created)}?includeMeta=true`);
      expect(record(seen).meta?.displayName).toBe(username);
      expectAbsent(seen, ['local.', '@mail.test', 'Fresh One']);
    }
    // Only the user’s own choice makes it something else, and an empty choice falls back to the username.
    const { owner } = people;
    const display = async () =>
      record(await anon.get(`/users/${owner.id}?includeMeta=true`)).meta?.displayName;
    await owner.call.put(`/users/${owner.id}`, { useAsDisplayName: 'realName' });
    expect(await display()).toBe('Olive Owner');
    await owner.call.put(`/users/${owner.id}`, { realName: null });
    expect(await display()).toBe('owner_u');
  });

  it('FV-10 (beyond the cases): options, links and extras are filtered for the caller', async () => {
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
    const foreign = record(await other.call.get(`/users/${owner.id}?includeOptions=true&includeLinks=true`));
    expect(Object.keys(foreign.options ?? {}).filter((prop) => prop !== 'avatarId')).toEqual([]);
    expect(foreign.links?.self?.methods).toEqual(['GET']);
    expect(foreign.links?.apikeys?.methods).toEqual([]);
    const own = record(await owner.call.get(`/users/${owner.id}?includeOptions=true&includeLinks=true`));
    expect(own.options?.admin).toEqual([
      { label: 'Not Admin', value: 'false' },
      { label: 'Admin', value: 'true' },
    ]);
    expect(own.links?.self?.methods).toEqual(['GET', 'PUT', 'DELETE']);
    expect(own.links?.apikeys).toMatchObject({ href: `/api/v1/users/${owner.id}/apikeys`, methods: ['GET'] });
    const line = record(await other.call.get(`/dummythings/${olives.thing}?includeLinks=true`));
    expect(line.links?.buddy?.methods).toEqual([]);
    expect(line.links?.user?.methods).toEqual(['GET']);
  });
});

describe('what else a caller must not hear, and what it must', () => {
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
    expect(record(await owner.call.get(`/dummylineitems/${own.lineItem}`)).props.invoiceId).toBe(own.invoice);
  });

  it('a record that is hidden can’t be named, nor told from none, where it is enough to see it', async () => {
    const { owner, admin } = people;
    const item = { name: 'i', category: 'Food' };
    const mine = await made(owner.call, '/dummyitems', item);
    const none = unusedId(service, 'DummyInvoice');
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
    const mine = await made(owner.call, '/dummyitems', item);
    const admins = await made(admin.call, '/dummyitems', { ...item, name: 'k' });
    const path = `/dummyinvoices/${olives.invoice}/items`;
    expectList(await owner.call.get(path), [mine]);
    expectList(await admin.call.get(path), [mine, admins]);
    // The record itself is public, without the prop.
    expect(record(await owner.call.get(`/dummyitems/${admins}`)).props).not.toHaveProperty('receiptId');
    expectList(await owner.call.get(`/dummyitems?receiptId=${olives.invoice}`), [mine]);
  });

  it('options of props that only owners see stand beside own records alone', async () => {
    const { owner, other, admin, anon } = people;
    const shown = async (caller: Caller, id: string) =>
      Object.keys(record(await caller.get(`/users/${id}?includeOptions=true`)).options ?? {}).sort();
    const all = ['admin', 'avatarId', 'developer', 'useAsDisplayName', 'verifiedEmail'];
    expect(await shown(owner.call, owner.id)).toEqual(expect.arrayContaining(['admin', 'useAsDisplayName']));
    expect(await shown(admin.call, other.id)).toEqual(expect.arrayContaining(all));
    for (const caller of [anon, other.call]) {
      const names = await shown(caller, owner.id);
      for (const hidden of ['admin', 'developer', 'useAsDisplayName', 'verifiedEmail'])
        expect(names).not.toContain(hidden);
    }
    const page = list(await other.call.get('/users?includeOptions=true')).items;
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
    expect(record(after).props.buddyId).toBeNull();
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(String(record(after).props.updatedAt) > String(record(before).props.updatedAt)).toBe(true);
    const headers = { 'if-match': before.headers.get('etag') ?? '' };
    expect((await owner.call.put(`/dummythings/${olives.thing}`, { name: 'x' }, { headers })).status).toBe(
      412,
    );
  });

  it('links say what owners may do with their records, and only they', async () => {
    const { owner, other, admin, anon } = people;
    const methods = async (caller: Caller) => {
      const { links } = record(await caller.get(`/dummythings/${olives.thing}?includeLinks=true`));
      return [links?.self?.methods, links?.buddy?.methods, links?.user?.methods];
    };
    for (const caller of [owner.call, admin.call])
      expect(await methods(caller)).toEqual([['GET', 'PUT', 'DELETE'], ['GET'], ['GET']]);
    for (const caller of [other.call, anon]) expect(await methods(caller)).toEqual([['GET'], [], ['GET']]);
  });
});
