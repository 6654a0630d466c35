import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TEST_KINDS } from '../kinds/kinds.js';
import type { Answer } from '../support/client.js';
import { type Fixture, PASSWORD, resetFixture } from '../support/fixture.js';
import { quick } from '../support/quick.js';
import { startTestService, type TestService } from '../support/service.js';
import { errorOf, itemsOf, jsonOf, propsOf, request, warnedOf } from './wire.js';

/*
 * Families identity-unicode, text-encoding, proto-pollution, ssrf. There is no prop `bio` on User: Thing.note (65535
 * characters, public) and User.realName stand in.
 */

let service: TestService;
let f: Fixture;
let thing: string;
beforeAll(async () => {
  service = await startTestService({ kinds: TEST_KINDS, template: 'kinds' });
});
afterAll(() => service.stop());
beforeEach(async () => {
  f = await resetFixture(service);
  thing = String(propsOf(await f.owner.call.post('/dummythings', { name: 'n', note: 'before' })).id);
});

const note = async () => propsOf(await f.anon.get(`/dummythings/${thing}`)).note;
const put = (body: unknown) => f.owner.call.put(`/dummythings/${thing}`, body);
const user = (username: string, email = 'c1@mail.test') => ({
  username,
  email,
  realName: 'x',
  password: PASSWORD,
});
const verdict = (answer: Answer) => {
  const { code, data } = answer.status < 400 ? { code: null, data: null } : errorOf(answer);
  return [answer.status, code, data];
};
const users = async () => (await service.sql<{ n: number }>('SELECT count(*)::int AS n FROM users'))[0]?.n;

describe('who is called what', () => {
  it.each([
    'OWNER_U',
    'Owner_u',
    'owner_U',
    '\uff4f\uff37\uff2e\uff25\uff32_u', // full width
    '\u{1d428}wner_u', // mathematical bold
    'owner\uff3fu', // full-width low line
  ])('IU-01: username %j is that of owner_u', async (username) => {
    for (const call of [f.admin.call, f.anon])
      expect(verdict(await call.post('/users', user(username)))).toEqual([409, 409, 'username']);
    expect(
      verdict(await f.other.call.put(`/users/${f.other.id}`, { username, currentPassword: PASSWORD })),
    ).toEqual([409, 409, 'username']);
    expect(await users()).toBe(3);
  });

  it.each([
    ['\u00c4rger', '\u00e4rger'],
    ['\u00c4rger', 'A\u0308RGER'],
    ['stra\u00dfe', 'STRASSE'],
    ['\u03c3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2', '\u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3'], // final sigma
    ['\ufb01nn', 'FINN'], // ligature
    ['stra\u00dfe', 'STRA\u1e9eE'],
    ['k', '\u212a'], // Kelvin sign
  ])('%j and %j are one username', async (first, second) => {
    expect((await f.admin.call.post('/users', user(first))).status).toBeLessThan(300);
    expect(verdict(await f.admin.call.post('/users', user(second, 'c2@mail.test')))).toEqual([
      409,
      409,
      'username',
    ]);
    expect(await users()).toBe(4);
  });

  it('a name from before it was refused stays, and logs in', async () => {
    await service.sql(
      `UPDATE users SET username = 'whoami', "usernameFolded" = 'whoami' WHERE username = 'owner_u'`,
    );
    const path = `/users/${f.owner.id}`;
    const { props } = (await f.owner.call.get(path)).body;
    const same = await f.owner.call.put(path, { ...(props as object), realName: 'Who' });
    expect(same).toMatchObject({ status: 200, body: { props: { username: 'whoami', realName: 'Who' } } });
    expect((await f.anon.post('/sessions', { login: 'whoami', password: PASSWORD })).status).toBe(201);
    const other = { username: 'Whoami', currentPassword: PASSWORD };
    expect(verdict(await f.owner.call.put(path, other))).toEqual([422, 442, 'username']);
  });

  it('is stored as it was given', async () => {
    const made = await f.admin.call.post('/users', user('\u00c4rger', 'Jane.Doe@Mail.test'));
    expect(propsOf(made)).toMatchObject({ username: '\u00c4rger', email: 'Jane.Doe@Mail.test' });
  });

  it('may be written in another case by its own user', async () => {
    const renamed = await f.owner.call.put(`/users/${f.owner.id}`, {
      username: 'Owner_U',
      currentPassword: PASSWORD,
    });
    expect(renamed).toMatchObject({
      status: 200,
      body: { props: { username: 'Owner_U' } },
    });
    expect((await f.anon.post('/sessions', { login: 'owner_u', password: PASSWORD })).status).toBeLessThan(
      300,
    );
  });

  it.each([
    ['a Cyrillic letter among Latin ones', '\u0430dmin'],
    ['a Greek letter among Latin ones', 'adm\u03b9n'],
    ['zero width space', 'owner_u\u200b'],
    ['zero width joiner', 'own\u200der_u'],
    ['soft hyphen', 'own\u00ader_u'],
    ['byte order mark', '\ufeffowner_u'],
    ['outer blanks', ' owner_u '],
    ['inner blank', 'owner u'],
    ['no-break space', 'owner_u\u00a0'],
    ['ideographic space', '\u3000owner_u'],
    ['right-to-left override', '\u202eu_renwo'],
    ['left-to-right isolate', '\u2066owner_u\u2069'],
    ['tag character', 'owner_u\u{e0061}'],
    ['private use', 'owner_u\ue000'],
    ['line feed', 'owner_u\n'],
    ['an e-mail address', 'owner.secret@mail.test'],
    ['a full-width commercial at', 'owner\uff20mail.test'],
    ['a slash', '../admin'],
    ['a dot', '.'],
    ['two dots', '..'],
    ['nothing but punctuation', '._-'],
    ['a word for nothing', 'null'],
    ['the same in capitals', 'NULL'],
    ['the same in full width', '\uff4e\uff55\uff4c\uff4c'],
    ['another word for nothing', 'undefined'],
    ['a path', 'whoami'],
    ['another path', 'Options'],
    ['a third path', 'import-avatar'],
    ['a mark before everything', '\u0301owner'],
    ['a mark on punctuation', 'owner.\u0301x'],
    ['one mark twice', 'owne\u0301\u0301r'],
    ['five marks in a row', 'owne\u0300\u0301\u0302\u0303\u0304r'],
    ['nothing but marks', '\u0300\u0301'],
  ])('IU-03: %s in a username is refused', async (_name, username) => {
    expect(verdict(await f.admin.call.post('/users', user(username)))).toEqual([422, 442, 'username']);
    expect(
      verdict(await f.other.call.put(`/users/${f.other.id}`, { username, currentPassword: PASSWORD })),
    ).toEqual([422, 442, 'username']);
    expect(await users()).toBe(3);
  });

  // Invisible as well, though Unicode calls them marks or letters (Default_Ignorable_Code_Point).
  it.each([
    ['variation selector 16', 'owner_u\ufe0f'],
    ['variation selector 1', 'owner_u\ufe00'],
    ['variation selector 17', 'owner_u\u{e0100}'],
    ['combining grapheme joiner', 'own\u034fer_u'],
    ['Hangul filler', 'owner_u\u3164'],
    ['half-width Hangul filler', 'owner_u\uffa0'],
    ['Hangul choseong filler', 'owner_u\u115f'],
    ['Khmer inherent vowel', 'owner_u\u17b4'],
    ['Mongolian variation selector', 'owner_u\u180b'],
  ])('IU-03: %s makes no second account that looks the same', async (_name, username) => {
    const answer = await f.admin.call.post('/users', user(username));
    expect([409, 422]).toContain(answer.status);
    expect(await users()).toBe(3);
  });

  it.each([
    ['Cyrillic and mathematical Latin', '\u0430\u{1d41d}\u{1d426}\u{1d422}\u{1d427}'],
    ['Cyrillic and full-width Latin', '\u0430\uff44\uff4d\uff49\uff4e'],
    ['Cherokee and Latin', '\u13aadmin'],
    ['Lisu and Latin', '\ua4eedmin'],
    ['Coptic and Latin', '\u2c9fwner_u'],
  ])('IU-03: letters of two alphabets are refused (%s)', async (_name, username) => {
    expect(verdict(await f.admin.call.post('/users', user(username)))).toEqual([422, 442, 'username']);
    expect(await users()).toBe(3);
  });

  it.each([
    '\u043e\u043b\u044c\u0433\u0430',
    '\u4e0a\u7530',
    '\u05e9\u05dc\u05d5\u05dd',
    '\u0645\u062d\u0645\u062f',
    'jos\u00e9-m.2',
    'nullus',
    'options2',
    '7',
    '-x-',
    'Nguy\u1ec5n',
    '\u0e19\u0e49\u0e33', // Thai, with marks
  ])('IU-03: %j is a username', async (username) => {
    const made = await f.anon.post('/users', user(username));
    expect(made.status).toBeLessThan(300);
    const login = await f.anon.post('/sessions', { login: username, password: PASSWORD });
    expect(propsOf(login).userId).toBe(propsOf(made).id);
  });

  it('IU-04: an e-mail address has one canonical form, at sign-up, update and login', async () => {
    const taken = ['OWNER.Secret@MAIL.test', 'owner.secret@mail.TEST', '\uff4fwner.secret@mail.test'];
    const misshapen = [
      ' owner.secret@mail.test',
      'owner.secret@mail.test ',
      'owner.secret@mail.test.',
      'owner.secret@mail.test\u200b',
      'owner.secret\u00ad@mail.test',
      'Owner <owner.secret@mail.test>',
      'owner.secret@mail.test,x@mail.test',
      'owner.secret',
    ];
    for (const [emails, status] of [
      [taken, 409],
      [misshapen, 422],
    ] as const) {
      for (const email of emails) {
        const made = await f.anon.post('/users', user('fresh', email));
        const changed = await f.other.call.put(`/users/${f.other.id}`, { email, currentPassword: PASSWORD });
        expect([email, made.status, changed.status]).toEqual([email, status, status]);
        expect([errorOf(made).data, errorOf(changed).data]).toEqual(['email', 'email']);
      }
    }
    expect(propsOf(await f.other.call.get('/users/whoami')).email).toBe('other.secret@mail.test');
    expect(await users()).toBe(3);
    expect(
      (await f.anon.post('/sessions', { login: 'OWNER.secret@mail.test', password: PASSWORD })).status,
    ).toBeLessThan(300);
  });

  it.each(['owner.secret\ufe0f@mail.test', 'owner.secret\u034f@mail.test', 'owner.secret\u3164@mail.test'])(
    'IU-04: an invisible character makes no second e-mail address (%j)',
    async (email) => {
      const answer = await f.anon.post('/users', user('fresh', email));
      expect([409, 422]).toContain(answer.status);
      expect(await users()).toBe(3);
    },
  );

  it('IU-06: a conflict tells no more than the prop', async () => {
    const byEmail = await f.anon.post('/users', user('new77', 'owner.secret@mail.test'));
    const byName = await f.anon.post('/users', user('owner_u', 'new77@mail.test'));
    expect([verdict(byEmail), verdict(byName)]).toEqual([
      [409, 409, 'email'],
      [409, 409, 'username'],
    ]);
    for (const { text } of [byEmail, byName]) {
      expect(text).not.toContain(f.owner.id);
      expect(text).not.toMatch(/owner|Olive|secret|20\d\d-/);
    }
    // Both at once: one of them, and nothing about the other.
    const both = await f.anon.post('/users', user('owner_u', 'owner.secret@mail.test'));
    expect(both.status).toBe(409);
    expect(both.body).not.toHaveProperty('warnings');
  });

  it('limits are counted in characters, also where folding makes a name longer', async () => {
    const long = '\ufdfa'.repeat(60); // one character that is 18 in NFKC
    const answer = await f.admin.call.post('/users', user(long));
    expect(verdict(answer)).toEqual([422, 442, 'username']);
    expect((await f.admin.call.post('/users', user('\ud840\udc00'.repeat(60)))).status).toBeLessThan(300);
    expect(verdict(await f.admin.call.post('/users', user('a'.repeat(61), 'c2@mail.test')))).toEqual([
      422,
      442,
      'username',
    ]);
  });
});

describe('texts', () => {
  it('TE-01: a NUL in a text prop is 400', async () => {
    // decisions.md §4: 400 with data null; the message names the prop.
    for (const body of [
      { note: 'a\0b' },
      { note: '\0' },
      { name: 'x\0' },
      { colour: 'red\0' },
      { note: 'ok', unknown: '\0' },
    ]) {
      const answer = await put(body);
      expect(verdict(answer)).toEqual([400, 400, null]);
      expect(errorOf(answer).message).toContain(Object.keys(body).pop());
    }
    expect(await note()).toBe('before');
    expect(verdict(await f.anon.post('/users', user('a\0b')))).toEqual([400, 400, null]);
    expect((await f.anon.get('/dummythings?search=%00')).status).toBe(400);
    expect((await f.anon.get('/dummythings?name=a%00b')).status).toBe(400);
    expect([400, 404]).toContain((await f.anon.get('/dummythings/a%00b')).status);
  });

  it('TE-03: half a surrogate pair is 400, and lists stay whole', async () => {
    for (const body of [
      '{"note":"x\\ud800y"}',
      '{"note":"\\udc00"}',
      '{"note":"\\ude00\\ud83d"}',
      '{"x\\ud800":1}',
    ]) {
      expect(verdict(await put(body))).toEqual([400, 400, null]);
    }
    expect(await note()).toBe('before');
    const list = await f.anon.get('/dummythings?itemsPerPage=100');
    expect([list.status, itemsOf(list).length]).toEqual([200, 1]);
    expect(list.text).not.toMatch(/\\ud|\ufffd/);
  });

  it('TE-04: NULs and half pairs inside a JSON prop, also as keys', async () => {
    // No cron jobs yet: Thing.data is a JSON prop.
    const broken = [
      '{"data":{"a":"x\\u0000y"}}',
      '{"data":{"k\\u0000":1}}',
      '{"data":{"a":["\\udfff"]}}',
      '{"data":[[[{"deep":{"\\ud800":null}}]]]}',
      '{"data":"\\u0000"}',
    ];
    for (const body of broken) {
      const made = await f.owner.call.post('/dummythings', body);
      expect(verdict(made)).toEqual([400, 400, null]);
      expect(verdict(await put(body))).toEqual([400, 400, null]);
    }
    expect(await service.sql('SELECT 1 FROM dummythings')).toHaveLength(1);
    const fine = { 'k\u0001': ['\ud83d\ude00', { '': null }], 'a"b\\c': '\u2028\u2029' };
    expect(propsOf(await put({ data: fine })).data).toEqual(fine);
    expect(propsOf(await f.anon.get(`/dummythings/${thing}`)).data).toEqual(fine);
  });

  it('TE-06: Unicode comes back byte for byte, in form NFC', async () => {
    const texts = [
      '\ud83d\udc69\u200d\ud83d\udc69\u200d\ud83d\udc67\u200d\ud83d\udc66 \u00f1 \ufdfd \u05e9\u05dc\u05d5\u05dd',
      '\u00f1 is \u00f1',
      '\ufeffmark',
      '  blanks  ',
      'tab\tline\r\nend\u0085\u2028',
      '\ufffe\uffff',
      '</script><b>"\'&\\',
      '%_\\',
    ];
    for (const text of texts) {
      const answer = await f.owner.call.put(`/users/${f.owner.id}`, { realName: text });
      expect(propsOf(answer).realName).toBe(text);
      expect(propsOf(await f.owner.call.get(`/users/${f.owner.id}`)).realName).toBe(text);
      const found = await f.owner.call.get(`/users?search=${encodeURIComponent(text)}`);
      expect([text, itemsOf(found).map(({ id }) => id)]).toEqual([text, [f.owner.id]]);
    }
  });

  it('a text in another Unicode form is the same text', async () => {
    const given = 'n\u0303 \u1112\u1161\u11ab \u212b \ufb01'; // decomposed, Hangul of jamo, Angstrom, a ligature that stays
    const kept = '\u00f1 \ud55c \u00c5 \ufb01';
    const answer = await f.owner.call.put(`/users/${f.owner.id}`, { realName: given });
    expect(propsOf(answer).realName).toBe(kept);
    const again = await f.owner.call.put(`/users/${f.owner.id}`, { realName: given });
    expect(propsOf(again).updatedAt).toBe(propsOf(answer).updatedAt);
    await put({ name: given });
    for (const form of ['NFC', 'NFD'] as const) {
      const asked = encodeURIComponent(given.normalize(form));
      for (const query of [`name=${asked}`, `search=${asked}`, `name=!=${asked}`]) {
        const found = await f.owner.call.get(`/dummythings?${query}`);
        expect([query, itemsOf(found).map(({ id }) => id)]).toEqual([
          query,
          query.includes('!=') ? [] : [thing],
        ]);
      }
    }
  });

  it('TE-06: a limit counts code points, and nothing is cut', async () => {
    const set = (realName: string) => f.owner.call.put(`/users/${f.owner.id}`, { realName });
    const s60 = '\u{1f600}'.repeat(60);
    expect(propsOf(await set(s60)).realName).toBe(s60);
    expect(verdict(await set(`${s60}\u{1f600}`))).toEqual([422, 442, 'realName']);
    expect(verdict(await set('a'.repeat(61)))).toEqual([422, 442, 'realName']);
    expect(propsOf(await f.owner.call.get('/users/whoami')).realName).toBe(s60);
    const long = '\u{1f600}'.repeat(65535);
    expect(propsOf(await put({ note: long })).note).toBe(long);
    expect(verdict(await put({ note: `${long}a` }))).toEqual([422, 442, 'note']);
    expect(await note()).toBe(long);
  });

  it('TE-08: invalid UTF-8 is 400; a byte order mark is no part of the text', async () => {
    const broken = [
      '7b226e6f7465223a22c328227d', // two bytes, the second wrong
      '7b226e6f7465223a22ff227d',
      '7b226e6f7465223a22c080227d', // overlong NUL
      '7b226e6f7465223a22eda080227d', // a surrogate in UTF-8
      '7b226e6f7465223a22f4908080227d', // above U+10FFFF
      '7b226e6f7465223a22e282227d', // cut short
    ];
    for (const hex of broken)
      expect([hex, ...verdict(await put(Buffer.from(hex, 'hex')))]).toEqual([hex, 400, 400, null]);
    expect(await note()).toBe('before');
    const marked = await put(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"note":"ok"}')]));
    expect([200, 400]).toContain(marked.status);
    expect(await note()).toBe(marked.status === 200 ? 'ok' : 'before');
    // UTF-16 is not taken for anything else.
    expect(verdict(await put(Buffer.from('\ufeff{"note":"u16"}', 'utf16le')))).toEqual([400, 400, null]);
  });

  it.each([
    '/api/v1/users?search=%E0%A4%A',
    '/api/v1/users?search=%',
    '/api/v1/users/%FF',
    '/api/v1/users/%zz',
    '/api/v1/users?%ff=1',
    '/api/v1/users?search=%C0%AF',
    '/api/v1/users?search=%ED%A0%80',
    '/api/v1/%',
    '/%E0%A4%A',
    '/api/v1/users/%FF/apikeys',
    '/api/v1/sessions/%FF',
  ])('TE-09: bad percent encoding in %s', async (path) => {
    for (const headers of [[], [`cookie: appSessionId=${f.owner.sessionId}`], ['cookie: appSessionId=%FF']]) {
      const answer = await request(service.url, `GET ${path}`, headers);
      expect([400, 404]).toContain(answer.statuses[0]);
      expect(Object.keys(jsonOf(answer))).toEqual(['error']);
      expect(answer.text.toLowerCase()).toContain('x-content-type-options: nosniff');
      expect(answer.text).not.toMatch(/URIError|malformed URI|at \w+ \(/);
    }
  });

  it('TE-11: a very long search text is refused, and one of many wildcards is quick', async () => {
    for (const text of ['a%'.repeat(10_000), 'a%'.repeat(2000), 'a'.repeat(257)]) {
      const answer = await f.admin.call.get(`/dummythings?search=${encodeURIComponent(text)}`);
      expect([400, 414, 422, 431]).toContain(answer.status);
    }
    await service.sql(
      `INSERT INTO dummythings (name, note) SELECT 'x', repeat('a', 60000) FROM generate_series(1, 200)`,
    );
    const start = performance.now();
    const many = await f.admin.call.get(`/dummythings?search=${encodeURIComponent('a%'.repeat(127))}b`);
    expect([many.status, itemsOf(many)]).toEqual([200, []]);
    expect(performance.now() - start).toBeLessThan(quick(2000));
    const running = await service.sql(
      `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%ILIKE%' AND pid <> pg_backend_pid()`,
    );
    expect(running).toEqual([]);
  });

  it('dates are UTC whatever the time zone of the database', async () => {
    const name = new URL(service.databaseUrl).pathname.slice(1);
    await service.sql(`ALTER DATABASE "${name}" SET timezone TO 'Asia/Kathmandu'`);
    await service.sql(`ALTER DATABASE "${name}" SET datestyle TO 'SQL, DMY'`);
    const other = await startTestService({ kinds: TEST_KINDS, databaseUrl: service.databaseUrl });
    try {
      const before = Date.now();
      const login = await other.anon.post('/sessions', {
        apiKey: f.owner.key.id,
        privateKey: f.owner.key.privateKey,
      });
      const created = String(propsOf(login).createdAt);
      expect(created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Math.abs(Date.parse(created) - before)).toBeLessThan(10_000);
      const due = '2026-03-29T01:30:00.123Z';
      const headers = { cookie: `appSessionId=${String(propsOf(login).id)}` };
      const made = await other.anon.post('/dummythings', { due }, { headers });
      expect(propsOf(made).due).toBe(due);
      expect(itemsOf(await other.anon.get(`/dummythings?_start_due=${due}&_end_due=${due}`))).toHaveLength(1);
      expect(itemsOf(await other.anon.get(`/dummythings?due=${due}`))).toHaveLength(1);
    } finally {
      await other.stop();
      await service.sql(`ALTER DATABASE "${name}" RESET ALL`);
    }
  });
});

describe('inherited names', () => {
  const ordinary = async () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
    expect(propsOf(await f.other.call.get('/users/whoami'))).toMatchObject({ admin: false });
    // No cron jobs yet: topics are for roles alone.
    expect((await f.other.call.get('/dummytopics')).status).toBe(403);
    const made = await f.admin.call.post('/users', user('pp1', 'pp1@mail.test'));
    expect(propsOf(await f.admin.call.get(`/users/${String(propsOf(made).id)}`))).toMatchObject({
      admin: false,
    });
  };

  it('PP-01: __proto__ in the body', async () => {
    const bodies = [
      '{"__proto__":{"admin":true,"isAdmin":true},"realName":"b"}',
      '{"\\u005f_proto__":{"admin":true}}',
      '{"constructor":{"prototype":{"admin":true}},"realName":"b"}',
      '{"prototype":{"admin":true}}',
    ];
    for (const body of bodies) {
      const answer = await f.other.call.put(`/users/${f.other.id}`, body);
      expect([200, 400]).toContain(answer.status);
      if (answer.status === 200) expect(warnedOf(answer)).not.toEqual([]);
    }
    const nested = await f.other.call.post('/dummythings', '{"data":{"a":{"__proto__":{"admin":true}}}}');
    expect([200, 201, 400]).toContain(nested.status);
    expect(
      (await f.anon.post('/sessions', '{"__proto__":{"apiKey":"x","privateKey":"y"}}')).status,
    ).toBeGreaterThanOrEqual(400);
    expect((await f.other.call.put('/test', '{"__proto__":{"admin":true}}')).status).toBeLessThan(500);
    await ordinary();
  });

  it('PP-03: __proto__ in the query', async () => {
    for (const query of [
      '__proto__[admin]=true',
      'constructor.prototype.admin=true',
      'constructor[prototype][admin]=true',
      '__proto__=1&includeMeta=true',
      '__proto__.admin=true',
      'includeRelated=__proto__',
      'includeExtra=constructor',
      'sortBy=__proto__',
      'sortBy=constructor',
    ]) {
      const answer = await f.other.call.get(`/users?${query}`);
      const known = /^(include|sort)/.test(query);
      expect([query, answer.status]).toEqual([query, known ? 422 : 200]);
      if (!known) expect(warnedOf(answer)).toEqual([query.split('=')[0]]);
      expect(answer.text).not.toMatch(/native code|\[object|owner\.secret/);
    }
    const echo = await f.anon.get('/test?__proto__=1&constructor=2');
    expect(echo.text).toContain('"__proto__":"1"');
    await ordinary();
  });

  it('PP-04: inherited names are ordinary keys', async () => {
    const body =
      '{"toString":"x","hasOwnProperty":1,"valueOf":null,"constructor":2,"then":3,"toJSON":4,"note":"ok"}';
    const answer = await put(body);
    expect([answer.status, propsOf(answer).note]).toEqual([200, 'ok']);
    expect(warnedOf(answer).sort()).toEqual([
      'constructor',
      'hasOwnProperty',
      'then',
      'toJSON',
      'toString',
      'valueOf',
    ]);
    expect(Object.keys(propsOf(answer))).not.toContain('then');
    const list = await f.anon.get('/users?hasOwnProperty=1&toString=2&then=3');
    expect(list.status).toBe(200);
    expect(warnedOf(list).sort()).toEqual(['hasOwnProperty', 'then', 'toString']);
    for (const sortBy of ['toString', 'hasOwnProperty', 'then']) {
      expect(verdict(await f.anon.get(`/users?sortBy=${sortBy}`))).toEqual([422, 442, 'sortBy']);
    }
    for (const path of [
      '/users/toString',
      '/users/constructor',
      '/toString',
      '/__proto__',
      `/users/${f.owner.id}/constructor`,
      `/users/${f.owner.id}/__proto__`,
    ]) {
      expect([path, (await f.owner.call.get(path)).status]).toEqual([path, 404]);
    }
    const data = '{"data":{"toString":1,"hasOwnProperty":2,"constructor":3,"then":4,"toJSON":5}}';
    expect(propsOf(await put(data)).data).toEqual({
      toString: 1,
      hasOwnProperty: 2,
      constructor: 3,
      then: 4,
      toJSON: 5,
    });
  });
});

describe('URLs', () => {
  it('SS-01: are stored and never fetched; http and https only', async () => {
    const seen: string[] = [];
    const canary = createServer((incoming, response) => {
      seen.push(incoming.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    await once(canary, 'listening');
    let connections = 0;
    canary.on('connection', () => connections++);
    const { port } = canary.address() as AddressInfo;
    try {
      // No `url` on API keys: Thing.url has the format.
      const stored = [
        `http://127.0.0.1:${port}/a`,
        `http://localhost:${port}/c`,
        'http://169.254.169.254/latest/',
        'https://a.test/x?y=z#w',
      ];
      for (const url of stored) {
        const made = await f.owner.call.post('/dummythings?includeLinks=true&includeMeta=true', { url });
        expect([url, made.status < 300, propsOf(made).url]).toEqual([url, true, url]);
        expect((await f.anon.get(`/dummythings/${String(propsOf(made).id)}`)).status).toBe(200);
      }
      const mapped = await f.owner.call.post('/dummythings', { url: `http://[::ffff:127.0.0.1]:${port}/b` });
      expect(mapped.status < 300 || errorOf(mapped).code === 442).toBe(true);
      for (const url of [
        'javascript:alert(1)',
        'JavaScript:alert(1)',
        ' javascript:alert(1)',
        'java\tscript:alert(1)',
        'data:text/html,<script>',
        'file:///etc/passwd',
        'ftp://a.test/',
        'gopher://a.test/',
        '//a.test/x',
        '/relative',
        'a.test',
        'http:/a.test',
        'http://',
        'https://a.test/ b',
        'vbscript:x',
        'http+unix://x/',
      ]) {
        const answer = await f.owner.call.post('/dummythings', { url });
        expect([url, ...verdict(answer)]).toEqual([url, 422, 442, 'url']);
      }
      await f.anon.get('/dummythings?itemsPerPage=100&includeLinks=true&includeMeta=true');
      await sleep(1000); // the case waits for ten seconds
      expect([seen, connections]).toEqual([[], 0]);
      // The canary does sing.
      await fetch(`http://127.0.0.1:${port}/check`);
      expect(seen).toEqual(['/check']);
    } finally {
      canary.closeAllConnections();
      canary.close();
    }
  });

  it.each(['http://a.test\\@b.test/', 'https:a.test', 'http://a.test/\u202egnp.exe'])(
    'SS-01: no URL that two readers take for two things (%j)',
    async (url) => {
      const answer = await f.owner.call.post('/dummythings', { url });
      expect(answer).toMatchObject({ status: 422, body: { error: { code: 442, data: 'url' } } });
    },
  );

  it('SS-03: the Host header does not choose the storage host', async () => {
    const file = JSON.stringify({ filename: 'a.png', contentType: 'image/png', sizeInBytes: 10 });
    const answer = await request(
      service.url,
      'POST /api/v1/objectfiles?includeMeta=true&includeLinks=true',
      [
        'content-type: application/json',
        `cookie: appSessionId=${f.owner.sessionId}`,
        'x-forwarded-host: evil.test',
        'x-forwarded-proto: https',
        'x-forwarded-port: 666',
        'forwarded: host=evil.test;proto=https',
      ],
      file,
      'evil.test',
    );
    expect(answer.statuses).toEqual([201]);
    const { meta } = jsonOf(answer) as { meta: { presignedUrl: string } };
    expect(new URL(meta.presignedUrl).origin).toBe(service.url);
    expect(answer.text).not.toContain('evil.test');
  });
});
