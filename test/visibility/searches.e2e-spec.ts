import { type RowRef, rowId, setColumn } from '../support/rows.js';
import { userIds, PASSWORD } from '../support/fixture.js';
import { describe, expect, it } from '@jest/globals';
import { expectNonInterference, expectSameAnswer, NONSENSE, queriesAbout } from '../support/hidden-values.js';
import { callers } from '../support/belongings.js';
import { valuesOf, expectList, pagingOf, refusal, warningsOf } from '../support/answers.js';
import { nobodys, olives, ottos, people, service, useBelongings } from '../support/kinds-service.js';

/* Searches over what the caller may not see, and hidden values that change behind the service’s back. */

useBelongings();

const things = () => [olives.thing, ottos.thing, nobodys.thing];

describe('search in hidden props', () => {
  it('anonymous keyword search confirms no hidden e-mail, name or username', async () => {
    const { anon } = people;
    const answer = await expectSameAnswer(
      anon,
      200,
      ['owner.secret@mail.test', 'owner.secret', 'OWNER.SECRET', '@', 'Olive', 'owner_u', 'a', NONSENSE].map(
        (guess) => `/users?search=${encodeURIComponent(guess)}`,
      ),
    );
    expectList(answer, []);
    expect(warningsOf(answer)).toEqual(['403 search']);
    // Positive control: without the search everybody is there.
    expectList(await anon.get('/users'), userIds(people));
  });

  it('the search of a stranger confirms none either, though it covers the stranger’s own row', async () => {
    const { owner, other } = people;
    const answer = await expectSameAnswer(
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

  it('rows that inherit their owner are searched where they are owned, at any depth', async () => {
    const { anon, owner, other, admin } = people;
    expectList(await other.call.get('/dummyremarks?search=remark'), [ottos.remark]);
    expectList(await owner.call.get('/dummyremarks?search=remark'), [olives.remark]);
    expectList(await admin.call.get('/dummyremarks?search=remark'), [olives.remark, ottos.remark]);
    await expectSameAnswer(other.call, 200, [
      '/dummyremarks?search=of%20olive',
      `/dummyremarks?search=${NONSENSE}`,
    ]);
    await expectSameAnswer(anon, 401, [
      '/dummyremarks?search=of%20olive',
      `/dummyremarks?search=${NONSENSE}`,
    ]);
  });

  it('search finds the prop for callers who may see it', async () => {
    const { owner, other, admin } = people;
    expectList(await owner.call.get('/users?search=Olive'), [owner.id]);
    expectList(await owner.call.get('/users?search=owner.secret'), [owner.id]);
    expectList(await admin.call.get('/users?search=Olive'), [owner.id]);
    expectList(await admin.call.get('/users?search=_U'), userIds(people));
    const answer = await expectSameAnswer(other.call, 200, [
      '/users?search=Olive',
      `/users?search=${NONSENSE}`,
    ]);
    expectList(answer, []);
    expect(warningsOf(answer)).toEqual([]);
  });

  it('public props are searched for everybody, beside hidden ones of the same row', async () => {
    const { anon, owner, other } = people;
    expectList(await anon.get('/dummythings?search=thing%20of'), things());
    expectList(await anon.get('/dummythings?search=OLIVE'), [olives.thing]);
    expectList(await anon.get('/dummylineitems?search=line%20of%20o'), [olives.lineItem, ottos.lineItem]);
    // "secret-" stands in the secret of every thing, and in a public note of one.
    await setColumn(service, ['DummyThing', nobodys.thing], 'note', 'no secret-at all');
    expectList(await anon.get('/dummythings?search=secret-'), [nobodys.thing]);
    expectList(await owner.call.get('/dummythings?search=secret-'), [olives.thing, nobodys.thing]);
    expectList(await other.call.get('/dummythings?search=secret-'), [ottos.thing, nobodys.thing]);
    expectList(await people.admin.call.get('/dummythings?search=secret-'), things());
    // An enum takes part like a string.
    await setColumn(service, ['DummyThing', ottos.thing], 'colour', 'green');
    expectList(await anon.get('/dummythings?search=gree'), [ottos.thing]);
  });

  it('search never touches the secrets of API keys', async () => {
    const { owner, other, admin } = people;
    const answer = await expectSameAnswer(
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

  it('counts and pages of a search tell nothing either', async () => {
    const { other } = people;
    const answer = await expectSameAnswer(
      other.call,
      200,
      ['owner.secret', 'Olive', NONSENSE].map((guess) => `/users?search=${guess}&itemsPerPage=1&page=1`),
    );
    expect(pagingOf(answer)).toEqual({
      page: 1,
      nextPage: 1,
      previousPage: 1,
      itemsPerPage: 1,
      totalItems: 0,
      totalPages: 0,
    });
    await expectSameAnswer(
      other.call,
      200,
      ['owner.secret', NONSENSE].map((guess) => `/users?search=${guess}&itemsPerPage=1&page=2`),
    );
    // ".secret" is in all three rows; the own one counts.
    expect(pagingOf(await other.call.get('/users?search=.secret&itemsPerPage=1'))).toMatchObject({
      totalItems: 1,
      totalPages: 1,
      nextPage: 1,
    });
  });

  it('columns that are no props can be neither searched, filtered nor sorted by', async () => {
    // Storage keys come with files; password, key and session hashes and folded names are such columns too.
    const { admin, anon, owner } = people;
    const [user] = await service.sql<{ passwordHash: string; emailFolded: string }>(
      'SELECT "passwordHash", "emailFolded" FROM users WHERE id = $1',
      [rowId(service, 'User', owner.id)],
    );
    await setColumn(service, ['User', owner.id], 'usernameFolded', 'folded-only-text');
    for (const text of [user?.passwordHash.slice(0, 9) ?? '?', user?.passwordHash ?? '?', 'folded-only']) {
      const guess = encodeURIComponent(text);
      expectList(await owner.call.get(`/users?search=${guess}`), []);
      expectList(await admin.call.get(`/users?search=${guess}`), []);
      await expectSameAnswer(anon, 200, [`/users?search=${guess}`, `/users?search=${NONSENSE}`]);
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

  it('a prop that nobody may see is not searched, not even for owners and admins', async () => {
    const { owner, admin } = people;
    await setColumn(service, ['DummyThing', olives.thing], 'guarded', 'hidden-olive');
    expectList(await owner.call.get('/dummythings?search=hidden-olive'), []);
    expectList(await admin.call.get('/dummythings?search=hidden-olive'), []);
    expectList(await owner.call.get('/dummythings?search=secret-olive'), [olives.thing]);
  });
});

describe('answers stay the same while this changes', () => {
  const thing = (): RowRef => ['DummyThing', olives.thing];
  const user = (): RowRef => ['User', people.owner.id];

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
      paths: [...queriesAbout('/dummythings', prop, values.map(String)), ...included()],
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
    expect(valuesOf(await other.call.get(`/dummythings?${prop}=!=null`), 'id')).toEqual([ottos.thing]);
  });

  it('a prop that nobody may see, its owner and admins included', async () => {
    const values = ['aaa-hidden', 'zzz-hidden', null];
    await expectNonInterference({
      changes: values.map((value) => () => setColumn(service, thing(), 'guarded', value)),
      paths: [...queriesAbout('/dummythings', 'guarded', values.map(String)), ...included()],
      blind: callers(people),
    });
  });

  it('a relation that only owners see', async () => {
    const { anon, owner, other, admin } = people;
    const ids = [owner.id, other.id, admin.id];
    await expectNonInterference({
      changes: [...ids, null].map(
        (id) => () => setColumn(service, thing(), 'buddyId', id && rowId(service, 'User', id)),
      ),
      paths: [...queriesAbout('/dummythings', 'buddyId', ids), ...included()],
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
    // A prop that is shown as the display name is public by its owner’s choice.
    const asked = queriesAbout('/users', prop, values.map(String));
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

  it('the username of another user, but for the display name', async () => {
    const { anon, owner, other, admin } = people;
    const values = ['aaa_u', 'ozz_u', 'zzz_u'];
    await expectNonInterference({
      changes: values.map((value) => () => setColumn(service, user(), 'username', value)),
      paths: queriesAbout('/users', 'username', values).filter((path) => !path.includes('includeMeta')),
      blind: { anon, other: other.call },
      seeing: { owner: owner.call, admin: admin.call },
      telling: [`/users/${owner.id}`, '/users?sortBy=username', '/users?search=aaa_u'],
    });
  });

  it('a prop of a public row that another user owns through its parent', async () => {
    const { anon, owner, other, admin } = people;
    const values = [0, 49, 51, null];
    const item: RowRef = ['DummyLineItem', olives.lineItem];
    await expectNonInterference({
      changes: values.map((value) => () => setColumn(service, item, 'price', value)),
      paths: [
        ...queriesAbout('/dummylineitems', 'price', values.map(String)),
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

  it('hidden props of rows without an owner, from admins too where the owner is inherited', async () => {
    const { anon, owner, other, admin } = people;
    const lineItem: RowRef = ['DummyLineItem', nobodys.lineItem];
    await expectNonInterference({
      changes: [1, 49, 99, null].map((value) => () => setColumn(service, lineItem, 'price', value)),
      paths: [
        ...queriesAbout('/dummylineitems', 'price', ['1', '49', '99']),
        `/dummylineitems/${nobodys.lineItem}`,
      ],
      blind: { anon, owner: owner.call, other: other.call, admin: admin.call },
    });
    const nobodysThing: RowRef = ['DummyThing', nobodys.thing];
    await expectNonInterference({
      changes: ['aaa', 'zzz', null].map((value) => () => setColumn(service, nobodysThing, 'secret', value)),
      paths: [...queriesAbout('/dummythings', 'secret', ['aaa', 'zzz']), `/dummythings/${nobodys.thing}`],
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

  it('hidden rows that are made and deleted', async () => {
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
        ...queriesAbout('/dummyinvoices', 'title', ['AAA', 'ZZZ']),
        ...queriesAbout('/dummyremarks', 'text', ['AAA', 'ZZZ']),
        ...queriesAbout('/apikeys', 'name', ['AAA']),
        ...queriesAbout('/dummytopics', 'title', ['AAA', 'ZZZ']),
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
