import { refusal, errorOf, itemsOf, propsOf, warningsAbout } from '../support/answers.js';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TEST_KINDS } from '../kinds/kinds.js';
import { type Fixture, PASSWORD, resetFixture } from '../support/fixture.js';
import { quick } from '../support/quick.js';
import { startTestService, type TestService } from '../support/service.js';
import { jsonOf, sendRequest } from '../support/raw-requests.js';

/* Texts of every alphabet, names that JavaScript inherits, and URLs in texts. */

let service: TestService;
let people: Fixture;
let thing: string;
beforeAll(async () => {
  service = await startTestService({ kinds: TEST_KINDS, template: 'kinds' });
});
afterAll(() => service.stop());
beforeEach(async () => {
  people = await resetFixture(service);
  thing = String(propsOf(await people.owner.call.post('/dummythings', { name: 'n', note: 'before' })).id);
});

const note = async () => propsOf(await people.anon.get(`/dummythings/${thing}`)).note;
const put = (body: unknown) => people.owner.call.put(`/dummythings/${thing}`, body);
const user = (username: string, email = 'c1@mail.test') => ({
  username,
  email,
  realName: 'x',
  password: PASSWORD,
});

describe('texts', () => {
  it('a NUL in a text prop is 400', async () => {
    // Not a fault of the prop alone: 400 with data null, and the message names the prop.
    for (const body of [
      { note: 'a\0b' },
      { note: '\0' },
      { name: 'x\0' },
      { colour: 'red\0' },
      { note: 'ok', unknown: '\0' },
    ]) {
      const answer = await put(body);
      expect(refusal(answer)).toEqual([400, 400, null]);
      expect(errorOf(answer).message).toContain(Object.keys(body).pop());
    }
    expect(await note()).toBe('before');
    expect(refusal(await people.anon.post('/users', user('a\0b')))).toEqual([400, 400, null]);
    expect((await people.anon.get('/dummythings?search=%00')).status).toBe(400);
    expect((await people.anon.get('/dummythings?name=a%00b')).status).toBe(400);
    expect([400, 404]).toContain((await people.anon.get('/dummythings/a%00b')).status);
  });

  it('too many marks in a row are 400, also those that search makes marks of', async () => {
    for (const marks of ['\u0300\u0323', '\u0301\uFF9E', '\uFF9F']) {
      const few = `a${marks.repeat(15)}`;
      const many = `a${marks.repeat(40)}`;
      expect((await put({ note: few })).status).toBe(200);
      expect(refusal(await put({ note: many }))).toEqual([400, 400, null]);
      expect(await note()).toBe(few.normalize('NFC'));
      const search = (text: string) => people.anon.get(`/dummythings?search=${encodeURIComponent(text)}`);
      expect((await search(few)).status).toBe(200);
      expect((await search(many)).status).toBe(400);
    }
  });

  it('half a surrogate pair is 400, and lists stay whole', async () => {
    for (const body of [
      '{"note":"x\\ud800y"}',
      '{"note":"\\udc00"}',
      '{"note":"\\ude00\\ud83d"}',
      '{"x\\ud800":1}',
    ]) {
      expect(refusal(await put(body))).toEqual([400, 400, null]);
    }
    expect(await note()).toBe('before');
    const list = await people.anon.get('/dummythings?itemsPerPage=100');
    expect([list.status, itemsOf(list).length]).toEqual([200, 1]);
    expect(list.text).not.toMatch(/\\ud|\ufffd/);
  });

  it('NULs and half surrogate pairs in a JSON prop are refused, also as keys', async () => {
    // No cron jobs yet: Thing.data is a JSON prop.
    const broken = [
      '{"data":{"a":"x\\u0000y"}}',
      '{"data":{"k\\u0000":1}}',
      '{"data":{"a":["\\udfff"]}}',
      '{"data":[[[{"deep":{"\\ud800":null}}]]]}',
      '{"data":"\\u0000"}',
    ];
    for (const body of broken) {
      const made = await people.owner.call.post('/dummythings', body);
      expect(refusal(made)).toEqual([400, 400, null]);
      expect(refusal(await put(body))).toEqual([400, 400, null]);
    }
    expect(await service.sql('SELECT 1 FROM dummythings')).toHaveLength(1);
    const fine = { 'k\u0001': ['\ud83d\ude00', { '': null }], 'a"b\\c': '\u2028\u2029' };
    expect(propsOf(await put({ data: fine })).data).toEqual(fine);
    expect(propsOf(await people.anon.get(`/dummythings/${thing}`)).data).toEqual(fine);
  });

  it('a text comes back byte for byte, in Unicode form NFC', async () => {
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
      const answer = await people.owner.call.put(`/users/${people.owner.id}`, { realName: text });
      expect(propsOf(answer).realName).toBe(text);
      expect(propsOf(await people.owner.call.get(`/users/${people.owner.id}`)).realName).toBe(text);
      const found = await people.owner.call.get(`/users?search=${encodeURIComponent(text)}`);
      expect([text, itemsOf(found).map(({ id }) => id)]).toEqual([text, [people.owner.id]]);
    }
  });

  it('a text in another Unicode form is the same text', async () => {
    const given = 'n\u0303 \u1112\u1161\u11ab \u212b \ufb01'; // decomposed, Hangul of jamo, Angstrom, a ligature that stays
    const kept = '\u00f1 \ud55c \u00c5 \ufb01';
    const answer = await people.owner.call.put(`/users/${people.owner.id}`, { realName: given });
    expect(propsOf(answer).realName).toBe(kept);
    const again = await people.owner.call.put(`/users/${people.owner.id}`, { realName: given });
    expect(propsOf(again).updatedAt).toBe(propsOf(answer).updatedAt);
    await put({ name: given });
    for (const form of ['NFC', 'NFD'] as const) {
      const asked = encodeURIComponent(given.normalize(form));
      for (const query of [`name=${asked}`, `search=${asked}`, `name=!=${asked}`]) {
        const found = await people.owner.call.get(`/dummythings?${query}`);
        expect([query, itemsOf(found).map(({ id }) => id)]).toEqual([
          query,
          query.includes('!=') ? [] : [thing],
        ]);
      }
    }
  });

  it('lengths are counted in code points, and nothing is cut', async () => {
    const set = (realName: string) => people.owner.call.put(`/users/${people.owner.id}`, { realName });
    const s60 = '\u{1f600}'.repeat(60);
    expect(propsOf(await set(s60)).realName).toBe(s60);
    expect(refusal(await set(`${s60}\u{1f600}`))).toEqual([422, 442, 'realName']);
    expect(refusal(await set('a'.repeat(61)))).toEqual([422, 442, 'realName']);
    expect(propsOf(await people.owner.call.get('/users/whoami')).realName).toBe(s60);
    const long = '\u{1f600}'.repeat(65535);
    expect(propsOf(await put({ note: long })).note).toBe(long);
    expect(refusal(await put({ note: `${long}a` }))).toEqual([422, 442, 'note']);
    expect(await note()).toBe(long);
  });

  it('invalid UTF-8 is 400; a byte order mark is no part of the text', async () => {
    const broken = [
      '7b226e6f7465223a22c328227d', // two bytes, the second wrong
      '7b226e6f7465223a22ff227d',
      '7b226e6f7465223a22c080227d', // overlong NUL
      '7b226e6f7465223a22eda080227d', // a surrogate in UTF-8
      '7b226e6f7465223a22f4908080227d', // above U+10FFFF
      '7b226e6f7465223a22e282227d', // cut short
    ];
    for (const hex of broken)
      expect([hex, ...refusal(await put(Buffer.from(hex, 'hex')))]).toEqual([hex, 400, 400, null]);
    expect(await note()).toBe('before');
    const marked = await put(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"note":"ok"}')]));
    expect([200, 400]).toContain(marked.status);
    expect(await note()).toBe(marked.status === 200 ? 'ok' : 'before');
    // UTF-16 is not taken for anything else.
    expect(refusal(await put(Buffer.from('\ufeff{"note":"u16"}', 'utf16le')))).toEqual([400, 400, null]);
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
  ])(
    'bad percent encoding in %s is refused, and the answer tells nothing of the service’s insides',
    async (path) => {
      for (const headers of [
        [],
        [`cookie: appSessionId=${people.owner.sessionId}`],
        ['cookie: appSessionId=%FF'],
      ]) {
        const answer = await sendRequest(service.url, `GET ${path}`, headers);
        expect([400, 404]).toContain(answer.statuses[0]);
        expect(Object.keys(jsonOf(answer))).toEqual(['error']);
        expect(answer.text.toLowerCase()).toContain('x-content-type-options: nosniff');
        expect(answer.text).not.toMatch(/URIError|malformed URI|at \w+ \(/);
      }
    },
  );

  it('a very long search text is refused, and one of many wildcards is quick', async () => {
    for (const text of ['a%'.repeat(10_000), 'a%'.repeat(2000), 'a'.repeat(257)]) {
      const answer = await people.admin.call.get(`/dummythings?search=${encodeURIComponent(text)}`);
      expect([400, 414, 422, 431]).toContain(answer.status);
    }
    await service.sql(
      `INSERT INTO dummythings (name, note) SELECT 'x', repeat('a', 60000) FROM generate_series(1, 200)`,
    );
    const start = performance.now();
    const many = await people.admin.call.get(`/dummythings?search=${encodeURIComponent('a%'.repeat(127))}b`);
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
        apiKey: people.owner.key.id,
        privateKey: people.owner.key.privateKey,
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
    expect(propsOf(await people.other.call.get('/users/whoami'))).toMatchObject({ admin: false });
    // No cron jobs yet: topics are for roles alone.
    expect((await people.other.call.get('/dummytopics')).status).toBe(403);
    const made = await people.admin.call.post('/users', user('pp1', 'pp1@mail.test'));
    expect(propsOf(await people.admin.call.get(`/users/${String(propsOf(made).id)}`))).toMatchObject({
      admin: false,
    });
  };

  it('__proto__ in a body changes nothing', async () => {
    const bodies = [
      '{"__proto__":{"admin":true,"isAdmin":true},"realName":"b"}',
      '{"\\u005f_proto__":{"admin":true}}',
      '{"constructor":{"prototype":{"admin":true}},"realName":"b"}',
      '{"prototype":{"admin":true}}',
    ];
    for (const body of bodies) {
      const answer = await people.other.call.put(`/users/${people.other.id}`, body);
      expect([200, 400]).toContain(answer.status);
      if (answer.status === 200) expect(warningsAbout(answer)).not.toEqual([]);
    }
    const nested = await people.other.call.post(
      '/dummythings',
      '{"data":{"a":{"__proto__":{"admin":true}}}}',
    );
    expect([200, 201, 400]).toContain(nested.status);
    expect(
      (await people.anon.post('/sessions', '{"__proto__":{"apiKey":"x","privateKey":"y"}}')).status,
    ).toBeGreaterThanOrEqual(400);
    expect((await people.other.call.put('/test', '{"__proto__":{"admin":true}}')).status).toBeLessThan(500);
    await ordinary();
  });

  it('__proto__ in a query changes nothing', async () => {
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
      const answer = await people.other.call.get(`/users?${query}`);
      const known = /^(include|sort)/.test(query);
      expect([query, answer.status]).toEqual([query, known ? 422 : 200]);
      if (!known) expect(warningsAbout(answer)).toEqual([query.split('=')[0]]);
      expect(answer.text).not.toMatch(/native code|\[object|owner\.secret/);
    }
    const echo = await people.anon.get('/test?__proto__=1&constructor=2');
    expect(echo.text).toContain('"__proto__":"1"');
    await ordinary();
  });

  it('inherited names are ordinary keys', async () => {
    const body =
      '{"toString":"x","hasOwnProperty":1,"valueOf":null,"constructor":2,"then":3,"toJSON":4,"note":"ok"}';
    const answer = await put(body);
    expect([answer.status, propsOf(answer).note]).toEqual([200, 'ok']);
    expect(warningsAbout(answer).sort()).toEqual([
      'constructor',
      'hasOwnProperty',
      'then',
      'toJSON',
      'toString',
      'valueOf',
    ]);
    expect(Object.keys(propsOf(answer))).not.toContain('then');
    const list = await people.anon.get('/users?hasOwnProperty=1&toString=2&then=3');
    expect(list.status).toBe(200);
    expect(warningsAbout(list).sort()).toEqual(['hasOwnProperty', 'then', 'toString']);
    for (const sortBy of ['toString', 'hasOwnProperty', 'then']) {
      expect(refusal(await people.anon.get(`/users?sortBy=${sortBy}`))).toEqual([422, 442, 'sortBy']);
    }
    for (const path of [
      '/users/toString',
      '/users/constructor',
      '/toString',
      '/__proto__',
      `/users/${people.owner.id}/constructor`,
      `/users/${people.owner.id}/__proto__`,
    ]) {
      expect([path, (await people.owner.call.get(path)).status]).toEqual([path, 404]);
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
  it('are stored but never fetched, and must be http or https', async () => {
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
        const made = await people.owner.call.post('/dummythings?includeLinks=true&includeMeta=true', { url });
        expect([url, made.status < 300, propsOf(made).url]).toEqual([url, true, url]);
        expect((await people.anon.get(`/dummythings/${String(propsOf(made).id)}`)).status).toBe(200);
      }
      const mapped = await people.owner.call.post('/dummythings', {
        url: `http://[::ffff:127.0.0.1]:${port}/b`,
      });
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
        const answer = await people.owner.call.post('/dummythings', { url });
        expect([url, ...refusal(answer)]).toEqual([url, 422, 442, 'url']);
      }
      await people.anon.get('/dummythings?itemsPerPage=100&includeLinks=true&includeMeta=true');
      await sleep(1000); // time enough for a fetch
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
    'no URL that two readers take for two things (%j)',
    async (url) => {
      const answer = await people.owner.call.post('/dummythings', { url });
      expect(answer).toMatchObject({ status: 422, body: { error: { code: 442, data: 'url' } } });
    },
  );

  it('the Host header does not choose the storage host', async () => {
    const file = JSON.stringify({ filename: 'a.png', contentType: 'image/png', sizeInBytes: 10 });
    const answer = await sendRequest(
      service.url,
      'POST /api/v1/objectfiles?includeMeta=true&includeLinks=true',
      [
        'content-type: application/json',
        `cookie: appSessionId=${people.owner.sessionId}`,
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
