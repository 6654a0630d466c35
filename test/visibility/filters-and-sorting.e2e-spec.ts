import { userIds, addPerson, PASSWORD } from '../support/fixture.js';
import { describe, expect, it } from '@jest/globals';
import { expectSameAnswer } from '../support/hidden-values.js';
import { createRecord } from '../support/belongings.js';
import { setColumn, idOfNoRow } from '../support/rows.js';
import {
  expectAbsent,
  expectList,
  expectRows,
  idsOf,
  recordOf,
  refusal,
  warningsOf,
} from '../support/answers.js';
import { nobodys, olives, ottos, people, service, useBelongings } from '../support/kinds-service.js';

/* Filters, sorting, paging and counts over what the caller may not see. */

useBelongings();

const things = () => [olives.thing, ottos.thing, nobodys.thing];
const lineItems = () => [olives.lineItem, ottos.lineItem, nobodys.lineItem];

describe('filters and sorting by hidden props', () => {
  it('role qualifiers do not tell strangers who is an administrator', async () => {
    const { anon, owner, other, admin } = people;
    for (const role of ['admin', 'developer']) {
      const guesses = ['true', 'false', '!=true', '<>false', 'null', '!=null', 'maybe', '>true', '>'];
      const answer = await expectSameAnswer(
        anon,
        403,
        guesses.map((guess) => `/users?${role}=${guess}&itemsPerPage=100`),
      );
      expect(refusal(answer)).toEqual([403, 403, role]);
      await expectSameAnswer(anon, 403, [`/users?${role}=true&${role}=false`, `/users?${role}=true`]);
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

  it('sorting by a hidden prop does not reveal its order', async () => {
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
      const refused = await expectSameAnswer(anon, 403, [
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

  it('sorting does not tell between which values of own rows a hidden one lies', async () => {
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
        expectRows(ascending, userIds(people));
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

  it('dotted and nested paths do not reach props of related kinds', async () => {
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
        const answer = await expectSameAnswer(
          caller,
          200,
          ['Bill of olive', 'owner.secret@mail.test', 'nobody@mail.test', 'null', '!=null'].map(
            (guess) => path + encodeURIComponent(guess),
          ),
        );
        expectList(answer, path.startsWith('/dummythings') ? things() : lineItems());
        const name = decodeURIComponent(path.slice(path.indexOf('?') + 1, -1));
        expect(warningsOf(answer)).toEqual([`400 ${name}`]);
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

  it('a null test on a prop that nobody may see is refused whatever is stored', async () => {
    const { anon, owner, other, admin } = people;
    await setColumn(service, ['DummyThing', ottos.thing], 'guarded', 'set for other');
    for (const caller of [anon, owner.call, other.call, admin.call]) {
      const answer = await expectSameAnswer(caller, 403, [
        '/dummythings?guarded=null',
        '/dummythings?guarded=!=null',
        '/dummythings?guarded=%3C%3Enull',
        '/dummythings?guarded=set%20for%20other',
        '/dummythings?guarded=%3Ea',
        '/dummythings?guarded=null&guarded=!=null',
      ]);
      expect(refusal(answer)).toEqual([403, 403, 'guarded']);
      const sorted = await expectSameAnswer(caller, 403, [
        '/dummythings?sortBy=guarded',
        '/dummythings?sortBy=guarded&sortOrder=desc',
      ]);
      expect(refusal(sorted)).toEqual([403, 403, 'guarded']);
    }
  });

  it('a null test on a prop of owners speaks of own rows alone', async () => {
    const { anon, owner, other, admin } = people;
    await setColumn(service, ['DummyThing', olives.thing], 'secret', null);
    for (const prop of ['secret', 'score', 'buddyId']) {
      const answer = await expectSameAnswer(anon, 403, [
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

  it('a filter that is not declared gives a warning with its name', async () => {
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
      expectList(answer, userIds(people));
      expect([path, warningsOf(answer)]).toEqual([path, [`400 ${name}`]]);
    }
    expect(warningsOf(await admin.call.get('/users?admin=true'))).toEqual([]);
    // The warning stands beside a record too, and names each parameter once.
    expect(warningsOf(await admin.call.get(`/users/${people.owner.id}?search=x&search=y&zz=1`))).toEqual([
      '400 search',
      '400 zz',
    ]);
  });

  it('filters and sorting tell nothing about rows that only a role sees', async () => {
    // CronJob is such a kind; Topic has rows of admins and developers.
    const { anon, owner, other, admin } = people;
    const dev = await addPerson(service, 'dev_u', 'dev@mail.test', 'Dev Eloper', { developer: true });
    const topic = await createRecord(admin.call, '/dummytopics', {
      title: 'Test',
      weight: 5,
      thingId: olives.thing,
    });
    const ways = [
      '',
      '?title=Test',
      '?title=Nope',
      '?title=null',
      '?search=Tes',
      '?sortBy=title',
      '?_start_weight=5',
    ];
    const strangers = await expectSameAnswer(
      other.call,
      403,
      ways.map((way) => `/dummytopics${way}`),
    );
    expectAbsent(strangers, ['Test', topic, olives.thing]);
    expectAbsent(
      await expectSameAnswer(
        anon,
        401,
        ways.map((way) => `/dummytopics${way}`),
      ),
      ['Test', topic],
    );
    // To own what a topic is about gives no right to the topic.
    await expectSameAnswer(
      owner.call,
      403,
      ways.map((way) => `/dummytopics${way}`),
    );
    for (const caller of [anon, owner.call, other.call]) {
      const byId = await expectSameAnswer(caller, 404, [
        `/dummytopics/${topic}`,
        `/dummytopics/${idOfNoRow(service, 'DummyTopic')}`,
      ]);
      expectAbsent(byId, ['Test']);
      await expectSameAnswer(caller, 404, [
        `/dummytopics/${topic}/thing`,
        `/dummytopics/${idOfNoRow(service, 'DummyTopic')}/thing`,
      ]);
    }
    expect((await anon.get('/dummytopics/options')).status).toBe(401);
    expect((await other.call.get('/dummytopics/options')).status).toBe(403);
    // Positive controls; a developer sees the rows, but not the weight, which is for admins.
    expectList(await admin.call.get('/dummytopics?title=Test'), [topic]);
    expectList(await admin.call.get('/dummytopics?title=Nope'), []);
    expectList(await dev.call.get('/dummytopics?title=Test'), [topic]);
    await expectSameAnswer(dev.call, 403, [
      '/dummytopics?_start_weight=5',
      '/dummytopics?_start_weight=6',
      '/dummytopics?_end_weight=4',
      '/dummytopics?sortBy=weight',
    ]);
    expect(recordOf(await dev.call.get(`/dummytopics/${topic}`)).props).not.toHaveProperty('weight');
    expect(recordOf(await admin.call.get(`/dummytopics/${topic}`)).props.weight).toBe(5);
  });

  it('hidden rows are absent from lists, totals, filters and sorts, and 404 by id', async () => {
    const { anon, owner, other, admin } = people;
    const foreign = [
      '/dummyinvoices?title=Bill%20of%20olive',
      '/dummyinvoices?title=Bill%20of%20nobody',
      `/dummyinvoices?userId=${owner.id}`,
      '/dummyinvoices?search=olive',
      '/dummyinvoices?title=null',
      '/dummyinvoices?title=%3CBill%20of%20otto',
    ];
    expectList(await expectSameAnswer(other.call, 200, foreign), []);
    expectList(await other.call.get('/dummyinvoices?title=!=x&sortBy=title&sortOrder=desc'), [ottos.invoice]);
    expectList(await other.call.get(`/dummyinvoices?userId=!=${people.other.id}`), []);
    expect(refusal(await expectSameAnswer(anon, 401, ['/dummyinvoices', ...foreign]))).toEqual([
      401,
      401,
      null,
    ]);
    for (const caller of [anon, other.call]) {
      for (const rest of ['', '/dummylineitems', '/user', '?includeRelated=user&includeMeta=true']) {
        const answer = await expectSameAnswer(caller, 404, [
          `/dummyinvoices/${olives.invoice}${rest}`,
          `/dummyinvoices/${idOfNoRow(service, 'DummyInvoice')}${rest}`,
          `/dummyinvoices/${olives.thing}${rest}`,
        ]);
        expectAbsent(answer, ['olive', people.owner.id]);
      }
    }
    expectList(await admin.call.get('/dummyinvoices?sortBy=title'), [olives.invoice, ottos.invoice]);
    expectList(await owner.call.get(`/dummyinvoices/${olives.invoice}/lineitems`), [olives.lineItem]);
    expectList(await admin.call.get(`/dummyinvoices?userId=${owner.id}`), [olives.invoice]);
  });

  it('a child list is never wider than its parent, whatever is asked', async () => {
    const { owner, other, admin } = people;
    const second = await createRecord(owner.call, '/dummyinvoices', { title: 'second' });
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

  it('HEAD says no more than GET', async () => {
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

  it('ranges over hidden integers tell nothing', async () => {
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
      const refused = await expectSameAnswer(anon, 403, [...ranges, `${path}?_start_${prop}=x`]);
      expect(refusal(refused)).toEqual([403, 403, prop]);
      const own = path === '/dummythings' ? ottos.thing : ottos.lineItem;
      const foreign = path === '/dummythings' ? olives.thing : olives.lineItem;
      // 7 belongs to olive: a stranger’s ranges around it find nothing but what is its own (50).
      const blind = await expectSameAnswer(other.call, 200, [
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
    await expectSameAnswer(dev.call, 200, [
      '/dummylineitems?_start_price=7',
      '/dummylineitems?_start_price=8',
    ]);
  });
});
