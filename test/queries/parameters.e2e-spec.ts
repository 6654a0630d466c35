import { userIds } from '../support/fixture.js';
import { describe, expect, it } from '@jest/globals';
import { quick } from '../support/quick.js';
import { NONSENSE } from '../support/hidden-values.js';
import { createRecord } from '../support/belongings.js';
import { idOfNoRow } from '../support/rows.js';
import { valuesOf, expectList, idsOf, listOf, pagingOf, refusal, warningsOf } from '../support/answers.js';
import { addThings, people, service, useKindsService } from '../support/kinds-service.js';

/* How query parameters are read: filters, paging, sorting, search and includes. */

useKindsService();

const encode = encodeURIComponent;

describe('query parameters', () => {
  it('a repeated filter means any of its values, and a repeated single parameter is refused', async () => {
    // A repeated qualifier (and search) means any of the values; includes may be repeated; what
    // has one value only is refused when it is given twice.
    const { admin, owner, other } = people;
    expectList(await admin.call.get('/users?search=owner_&search=other_'), [owner.id, other.id]);
    expectList(await admin.call.get(`/users?search=owner_&search=${NONSENSE}`), [owner.id]);
    expectList(await admin.call.get('/users?admin=true&admin=false'), userIds(people));
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

  it('paging values out of bounds are refused, not corrected', async () => {
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
      expect([query, answer.status, pagingOf(answer).totalItems]).toEqual([query, 200, 3]);
      for (const value of Object.values(pagingOf(answer))) expect(Number.isInteger(value)).toBe(true);
    }
  });

  it('the largest permitted page is cheap', async () => {
    const { anon } = people;
    await addThings(10_000);
    const started = performance.now();
    const answer = await anon.get('/dummythings?page=1000000&itemsPerPage=100');
    expect(performance.now() - started).toBeLessThan(quick(2000));
    expect(answer.status).toBe(200);
    expect(listOf(answer).items).toEqual([]);
    expect(pagingOf(answer)).toEqual({
      page: 1_000_000,
      nextPage: 100,
      previousPage: 999_999,
      itemsPerPage: 100,
      totalItems: 10_000,
      totalPages: 100,
    });
    // Positive control: the last page that holds something.
    const last = await anon.get('/dummythings?page=100&itemsPerPage=100&sortBy=amount');
    expect(valuesOf(last, 'amount').at(-1)).toBe(10_000);
    expect(listOf(last).items).toHaveLength(100);
  });

  it('filters find null, and everything but null', async () => {
    const { owner, admin } = people;
    const make = (name: string, note: string | null) =>
      createRecord(owner.call, '/dummythings', { name, note });
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
      ids.set(name, await createRecord(owner.call, '/dummythings', { name, note: name }));
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
    const [blue] = [await createRecord(owner.call, '/dummythings', { name: 'b', colour: 'blue', amount: 5 })];
    expectList(await anon.get(`/dummythings?colour=${encode('\\blue')}&amount=${encode('\\5')}`), [blue]);
  });

  it('an operator without a value asks nothing, and says so', async () => {
    const { owner, anon } = people;
    const one = await createRecord(owner.call, '/dummythings', { name: '>' });
    const two = await createRecord(owner.call, '/dummythings', { name: 'x' });
    for (const sign of ['>', '>=', '<', '<=', '<>', '!=']) {
      const answer = await anon.get(`/dummythings?name=${encode(sign)}`);
      expectList(answer, [one, two]);
      expect([sign, warningsOf(answer)]).toEqual([sign, ['400 name']]);
    }
    const some = await anon.get('/dummythings?name=%3E&name=x');
    expectList(some, [two]);
    expect(warningsOf(some)).toEqual(['400 name']);
    expect(warningsOf(await anon.get('/dummythings?name='))).toEqual([]);
    // On a prop that is hidden everywhere it is refused as any value is.
    expect(refusal(await anon.get('/dummythings?guarded=%3E'))).toEqual([403, 403, 'guarded']);
  });

  it('several ids answer those records, of every kind, and no others', async () => {
    const { owner, other, admin, anon } = people;
    const answer = await anon.get(`/users?id=${owner.id}&id=${admin.id}`);
    expectList(answer, [owner.id, admin.id]);
    expect(warningsOf(answer)).toEqual([]);
    expectList(await anon.get(`/users?id=${owner.id}&id=${owner.id}`), [owner.id]);
    expectList(
      await anon.get(`/users?id=!=${owner.id}`),
      userIds(people).filter((id) => id !== owner.id),
    );
    expectList(await anon.get(`/users?id=${idOfNoRow(service, 'User')}&id=${other.id}`), [other.id]);
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
    for (const name of texts) ids.push(await createRecord(owner.call, '/dummythings', { name }));
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
    const item = await createRecord(owner.call, '/dummyitems', {
      name: 'i',
      category: 'Food',
      code: 'Straße',
    });
    const plain = await createRecord(owner.call, '/dummyitems', { name: 'j', category: 'Food' });
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
      ids.set(name, await createRecord(owner.call, '/dummythings', { name, note: name }));
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

  it('filters by enums and ids refuse values that cannot be', async () => {
    const { owner, admin } = people;
    const thing = await createRecord(owner.call, '/dummythings', { name: 'a', colour: 'blue' });
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

  it('first, last and empty pages say which pages are next to them', async () => {
    const { anon } = people;
    const ids = await addThings(11);
    const at = async (query: string) => {
      const answer = await anon.get(`/dummythings?${query}`);
      expect(answer.status).toBe(200);
      return { ...pagingOf(answer), items: idsOf(answer) };
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

  it('following nextPage shows every row once, also where all values are the same', async () => {
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
            expect(pagingOf(answer)).toMatchObject({ totalItems: 23, totalPages: 6 });
            last = page;
            page = pagingOf(answer).nextPage;
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

  it('maxItems is respected and bounded', async () => {
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
      expect(pagingOf(answer)).toMatchObject({ ...limited, page, nextPage: Math.min(page + 1, 2) });
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
    expect(pagingOf(await anon.get('/dummythings?maxItems=51')).totalItems).toBe(50);
    expectList(
      await anon.get('/dummythings?maxItems=2&_start_amount=48&sortOrder=desc'),
      [ids[49], ids[48]].map(String),
    );
  });
});
