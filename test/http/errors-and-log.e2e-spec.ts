import { failure, propsOf, warningsAbout } from '../support/answers.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Kind } from '../../src/record/schema/kind.js';
import { Prop } from '../../src/record/schema/prop.js';
import { RecordEngine } from '../../src/record/record-engine.js';
import { RecordEntity } from '../../src/record/record.entity.js';
import { RecordService } from '../../src/record/record.service.js';
import type { Row } from '../../src/record/row.js';
import { testModule } from '../kinds/define.js';
import { TEST_KINDS } from '../kinds/kinds.js';
import type { Answer, Json } from '../support/client.js';
import { type Fixture, PASSWORD, resetFixture } from '../support/fixture.js';
import { startTestService, type TestService } from '../support/service.js';
import { jsonOf, sendRequest, sendBytes } from '../support/raw-requests.js';

/* What errors and the log tell, and what they keep to themselves. */

const SECRET = 'hunter2-in-a-message';

/** A kind whose service fails while it describes. */
@Kind({ kind: 'DummyBomb', path: 'dummybombs', owner: ['admin'], view: ['public'], create: ['public'] })
class DummyBomb extends RecordEntity {
  @Prop.string({ length: 20, view: ['public'], edit: ['public'] })
  throws!: string | null;
}

@Injectable()
class DummyBombService extends RecordService {
  constructor(engine: RecordEngine) {
    super(engine, DummyBomb);
  }

  override serializeMeta(row: Row): Record<string, unknown> {
    if (row.throws === 'error') throw new Error(`password ${SECRET} for /etc/secret at db:5432`);
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the point of the test
    if (row.throws === 'null') throw null;
    if (row.throws === 'circular') {
      const loop: Record<string, unknown> = { SECRET };
      return Object.assign(loop, { loop });
    }
    return {};
  }
}

const KINDS = [...TEST_KINDS, testModule(DummyBomb, DummyBombService)];
const LIMITS = { headersTimeout: 1000, requestTimeout: 2000, checkInterval: 200 };

let service: TestService;
let people: Fixture;
beforeAll(async () => {
  service = await startTestService({ kinds: KINDS, template: 'kinds_bomb', limits: LIMITS });
});
afterAll(() => service.stop());
beforeEach(async () => {
  people = await resetFixture(service);
});

/** What says which software answers. */
const BANNER =
  /fastify|nest(js)?\b|node\.js|node\/|express|postgres|typeorm|v?20\.\d+\.\d+|x-powered-by|^server:/im;

describe('what errors tell', () => {
  it('unique and other violations name the prop alone', async () => {
    const user = (i: number) => ({
      username: 'owner_u',
      email: `x${i}@mail.test`,
      realName: 'Row Content',
      password: PASSWORD,
    });
    const same = { username: 'together', email: 'together@mail.test', password: PASSWORD };
    const answers = [
      await people.admin.call.post('/users', user(1)),
      await people.other.call.put(`/users/${people.other.id}`, {
        username: 'OWNER_U',
        currentPassword: PASSWORD,
      }),
      ...(await Promise.all(Array.from({ length: 10 }, () => people.anon.post('/users', same)))),
    ];
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status >= 300)) {
      expect(answer).toMatchObject({ status: 409, body: failure(409, 'username') });
      expect(answer.text).not.toMatch(
        /Key \(|duplicate|uq_|usernameFolded|users|INSERT|UPDATE|23505|Row Content|owner_u|argon/i,
      );
    }
  });

  it('a database rule that no check foresaw tells nothing', async () => {
    await service.sql(
      `ALTER TABLE dummythings ADD CONSTRAINT "ck_secret_rule" CHECK (name <> 'forbidden word')`,
    );
    try {
      const response = await fetch(`${service.url}/api/v1/dummythings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: `appSessionId=${people.owner.sessionId}` },
        body: JSON.stringify({ name: 'forbidden word', secret: 'row content' }),
      });
      const text = await response.text();
      expect(JSON.parse(text)).toEqual(failure(500, response.headers.get('x-request-id')));
      expect(text).not.toMatch(/ck_secret|check|violates|row content|forbidden word|dummythings|23514/);
      // The log has what the operator needs, but not the row.
      const logged = service.log.filter((line) => line.includes(response.headers.get('x-request-id') ?? '-'));
      expect(logged.join('\n')).toContain('23514');
      expect(logged.join('\n')).not.toMatch(/row content|Failing row/);
    } finally {
      await service.sql('ALTER TABLE dummythings DROP CONSTRAINT "ck_secret_rule"');
    }
  });

  it('unexpected exceptions say nothing, and the service goes on', async () => {
    for (const throws of ['error', 'null', 'circular']) {
      await service.sql('TRUNCATE dummybombs');
      const made = await people.anon.post('/dummybombs', { throws });
      expect(made.status).toBeLessThan(300);
      const id = String(propsOf(made).id);
      for (const path of [
        `/dummybombs/${id}?includeMeta=true`,
        '/dummybombs?itemsPerPage=100&includeMeta=true',
      ]) {
        const response = await fetch(`${service.url}/api/v1${path}`);
        const text = await response.text();
        const requestId = response.headers.get('x-request-id');
        expect([throws, response.status, JSON.parse(text)]).toEqual([throws, 500, failure(500, requestId)]);
        expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        expect(response.headers.get('etag')).toBeNull();
        expect(text).not.toMatch(/hunter2|\/etc|stack|Error:|\.ts|\.js|circular|5432/);
        const logged = service.log.filter(
          (line) => line.includes(requestId ?? '-') && line.includes('"level":"error"'),
        );
        expect(logged.length).toBeGreaterThan(0);
      }
      // Without what throws, the record is there.
      expect((await people.anon.get(`/dummybombs/${id}`)).status).toBe(200);
    }
    expect((await people.anon.get('/users?itemsPerPage=1')).status).toBe(200);
  });

  it('no header names the software, and no file of the disk is served', async () => {
    for (const path of [
      '/api/v1/users/nope',
      '/favicon.ico',
      '/.env',
      '/package.json',
      '/api/v1/../../package.json',
      '/..%2f..%2fpackage.json',
      '//etc/passwd',
      '/.git/config',
      '/node_modules/pg/package.json',
      '/metrics',
      '/robots.txt',
      '/api/v1/users?page=x',
    ]) {
      const answer = await sendRequest(service.url, `GET ${path}`);
      expect([path, [400, 404, 422].includes(answer.statuses[0] ?? 0)]).toEqual([path, true]);
      expect(Object.keys(jsonOf(answer))).toEqual(['error']);
      expect(answer.text).not.toMatch(BANNER);
      expect(answer.text).not.toMatch(/"dependencies"|root:|kindred-reader/);
    }
    for (const path of ['/api/v1/test', '/health/live', '/health/ready', '/api/v1/users']) {
      expect((await sendRequest(service.url, `GET ${path}`)).text).not.toMatch(BANNER);
    }
  });

  it('messages repeat nothing that was sent', async () => {
    const odd = 'zq<9>"odd';
    for (const answer of [
      await people.anon.get(`/users?page=${encodeURIComponent(odd)}`),
      await people.anon.get(`/users?sortBy=${encodeURIComponent(odd)}`),
      await people.anon.get(`/users?includeRelated=${encodeURIComponent(odd)}`),
      await people.owner.call.put(`/users/${people.owner.id}`, { useAsDisplayName: odd }),
      await people.owner.call.put(`/users/${people.owner.id}`, { email: odd }),
      await people.owner.call.post('/dummythings', { userId: odd }),
      await people.owner.call.post('/dummythings', { due: odd }),
      await people.anon.get(`/dummythings?colour=${encodeURIComponent(odd)}`),
    ]) {
      expect(answer.status).toBe(422);
      expect(answer.text).not.toContain('zq<9>');
    }
  });

  it('of several faults the first in order of declaration is the error, and the others stand beside it', async () => {
    const answer = await people.owner.call.put(`/users/${people.owner.id}`, {
      realName: 5,
      email: 'none',
      username: null,
      admin: true,
      nope: 1,
    });
    expect(answer).toMatchObject({ status: 422, body: failure(441, 'username') });
    expect(warningsAbout(answer).sort()).toEqual(['admin', 'email', 'nope', 'realName']);
    expect(propsOf(await people.owner.call.get('/users/whoami'))).toMatchObject({
      realName: 'Olive Owner',
      email: people.owner.email,
    });
  });
});

describe('the log', () => {
  const lines = () => service.log.map((line) => JSON.parse(line) as Json);

  it('has no secrets, whether requests succeed or fail, at level debug', async () => {
    service.log.length = 0;
    const login = await people.anon.post('/sessions', {
      apiKey: people.owner.key.id,
      privateKey: people.owner.key.privateKey,
    });
    const key = await people.owner.call.post('/apikeys', { name: 'l' });
    const thing = await people.owner.call.post('/dummythings', { name: 'l', secret: 'VerySecretText1' });
    await people.admin.call.post('/users', {
      username: 'log1',
      email: 'log1@mail.test',
      realName: 'x',
      password: 'VerySecretPw1',
    });
    await people.anon.post('/sessions', { apiKey: people.owner.key.id, privateKey: 'wrongsecretvalue' });
    await people.anon.post('/sessions', { login: 'log1', password: 'VerySecretPw1' });
    await people.anon.post('/sessions', { login: 'log1', password: 'wrongsecretvalue' });
    await people.anon.post('/sessions', { login: 'wrongsecretvalue', password: 'VerySecretPw1' });
    await people.anon.post('/sessions', { apiKey: 'wrongsecretvalue', privateKey: 'x' });
    await people.anon.post('/sessions', '{"password":"VerySecretPw1"');
    // Failures at every level: duplicate, too long, unique in the database, cut short.
    await people.anon.post('/users', {
      username: 'log1',
      email: 'log1@mail.test',
      password: 'VerySecretPw1',
    });
    await people.owner.call.put(`/users/${people.owner.id}`, {
      password: 'VerySecretPw1',
      email: 'VerySecretText1',
    });
    await people.owner.call.put(`/users/${people.owner.id}`, {
      password: 'VerySecretPw1',
      currentPassword: PASSWORD,
    });
    await people.owner.call.put(`/users/${people.owner.id}`, {
      password: 'x'.repeat(9),
      currentPassword: 'VerySecretPw2',
    });
    await people.owner.call.get('/users?search=VerySecretText1&password=VerySecretPw1');
    await people.anon.get('/nope/VerySecretText1?token=VerySecretPw1');
    await people.owner.call.get(`/sessions/${people.owner.sessionId}`);
    await people.other.call.get(`/sessions/${people.owner.sessionId}/user`);
    await people.other.call.delete(`/sessions/${people.owner.sessionId}`);
    await people.anon.get('/users', {
      headers: { cookie: 'appSessionId=wrongsecretvalue', authorization: 'Bearer VerySecretPw1' },
    });
    await service.sql('ALTER TABLE dummythings RENAME TO things_away');
    try {
      await fetch(`${service.url}/api/v1/dummythings?search=VerySecretText1`);
      await fetch(`${service.url}/api/v1/dummythings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: `appSessionId=${people.owner.sessionId}` },
        body: '{"secret":"VerySecretText1"}',
      });
    } finally {
      await service.sql('ALTER TABLE things_away RENAME TO dummythings');
    }
    await sendBytes(
      service.url,
      `GET /VerySecretPw1 HTTP/9\r\ncookie: appSessionId=${people.owner.sessionId}\r\n\r\n`,
    );
    await people.owner.call.delete(`/sessions/${people.owner.sessionId}`);
    const log = service.log.join('\n');
    const secrets = [
      'VerySecretPw1',
      'VerySecretPw2',
      'VerySecretText1',
      'wrongsecretvalue',
      people.owner.key.privateKey,
      people.owner.sessionId,
      people.other.sessionId,
      people.admin.sessionId,
      String(propsOf(login).id),
      (key.body.meta as { privateKey: string }).privateKey,
      'argon2',
      'log1@mail.test',
      'owner.secret@mail.test',
      'a secret for tests alone',
    ];
    for (const secret of secrets) expect([secret, log.includes(secret)]).toEqual([secret, false]);
    expect(thing.status).toBeLessThan(300);
    expect(lines().filter(({ msg }) => msg === 'request').length).toBeGreaterThan(15);
    // Row ids of the database stay inside as well.
    expect(log).not.toMatch(/"(userId|rowId|realId)"/);
  });

  const event = (answer: Answer) =>
    lines().find((line) => line.msg === 'audit' && line.requestId === answer.headers.get('x-request-id'));
  const recorded = (over: Json) => ({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    requestId: expect.any(String),
    address: '127.0.0.1',
    action: expect.any(String),
    ...over,
  });

  it('a failed and a successful login are recorded', async () => {
    const failed = await people.anon.post('/sessions', {
      apiKey: people.owner.key.id,
      privateKey: 'nonsense',
    });
    expect(event(failed)).toMatchObject(
      recorded({ event: 'login', actor: null, target: people.owner.key.id, outcome: 'failure' }),
    );
    const good = await people.anon.post('/sessions', { login: 'owner_u', password: PASSWORD });
    expect(event(good)).toMatchObject(
      recorded({ event: 'login', actor: people.owner.id, outcome: 'success' }),
    );
    expect(JSON.stringify([event(failed), event(good)])).not.toMatch(/nonsense|battery|owner_u/);
  });

  it('a change of roles is recorded', async () => {
    const grant = await people.admin.call.put(`/users/${people.other.id}`, { admin: true });
    const revoke = await people.admin.call.put(`/users/${people.other.id}`, { admin: false });
    const over = { event: 'role', actor: people.admin.id, target: people.other.id, outcome: 'success' };
    expect(event(grant)).toMatchObject(recorded({ ...over, action: 'grant admin' }));
    expect(event(revoke)).toMatchObject(recorded({ ...over, action: 'revoke admin' }));
    const none = await people.admin.call.put(`/users/${people.other.id}`, { realName: 'x' });
    expect(event(none)).toBeUndefined();
  });

  it('a refused write to another’s record is recorded', async () => {
    const put = await people.other.call.put(`/users/${people.owner.id}`, { realName: 'x' });
    const gone = await people.other.call.delete(`/users/${people.owner.id}`);
    for (const answer of [put, gone]) {
      expect(answer.status).toBe(403);
      expect(event(answer)).toMatchObject(
        recorded({ actor: people.other.id, target: people.owner.id, outcome: 'refused' }),
      );
    }
  });

  it('a request of another site is recorded', async () => {
    const headers = { origin: 'https://evil.test' };
    const answer = await people.owner.call.put(`/users/${people.owner.id}`, { realName: 'x' }, { headers });
    expect(answer.status).toBe(403);
    expect(event(answer)).toMatchObject(recorded({ outcome: 'refused' }));
  });

  /** The line of an answered request, which is written a moment after the answer. */
  const lineOf = async (answer: Answer): Promise<Json> => {
    const id = answer.headers.get('x-request-id');
    const find = () => lines().filter(({ msg, requestId }) => msg === 'request' && requestId === id);
    for (let tries = 0; !find().length && tries < 1000; tries++) await sleep(10);
    expect(find()).toHaveLength(1);
    return find()[0] ?? {};
  };

  it('every answer can be found by its request id', async () => {
    const answers = [
      await people.anon.get('/users'),
      await people.anon.get('/nope'),
      await people.owner.call.get('/users/whoami'),
      await people.anon.post('/users', '{'),
    ];
    for (const answer of answers) {
      const line = await lineOf(answer);
      expect(line).toMatchObject({ status: answer.status, address: '127.0.0.1', ms: expect.any(Number) });
    }
  });

  it('the line of a request has who asked, for which record, and the code of the error', async () => {
    const about = async (answer: Answer) => {
      const { actor, record, error, status } = (await lineOf(answer)) as Record<string, unknown>;
      return { actor, record, error, status };
    };
    const actor = people.owner.id;
    const made = await people.owner.call.post('/dummythings', { name: 'made' });
    const record = String(propsOf(made).id);
    expect(record).toMatch(/^v/);
    expect(await about(made)).toEqual({ actor, record, status: 201 });
    const shared = await Promise.all(
      [1, 2, 3].map((n) => people.owner.call.post('/dummythings?includeMeta=true', { name: `n${n}` })),
    );
    for (const one of shared)
      expect(await about(one)).toEqual({ actor, record: String(propsOf(one).id), status: 201 });
    const path = `/dummythings/${record}`;
    expect(await about(await people.owner.call.put(path, { name: 'x' }))).toEqual({
      actor,
      record,
      status: 200,
    });
    const refused = await people.other.call.put(path, { name: 'y' });
    const code = (refused.body.error as { code: number }).code;
    expect(await about(refused)).toEqual({
      actor: people.other.id,
      record,
      error: code,
      status: refused.status,
    });
    expect(await about(await people.owner.call.delete(path))).toEqual({ actor, record, status: 200 });
    const gone = await people.owner.call.get(path);
    expect(await about(gone)).toEqual({ actor, record, error: 404, status: 404 });

    // Nobody is the actor of a sign-up, and no record of one that fails.
    const person = { username: 'log9', realName: 'x', email: 'log9@mail.test', password: PASSWORD };
    const signed = await people.anon.post('/users', person);
    expect(await about(signed)).toEqual({ record: String(propsOf(signed).id), status: 201 });
    const again = await people.anon.post('/users', person);
    const { code: taken } = again.body.error as { code: number };
    expect(await about(again)).toEqual({ error: taken, status: again.status });
    // The id of a session is a secret; a list is of no record.
    const login = await people.anon.post('/sessions', { login: 'owner_u', password: PASSWORD });
    expect(await about(login)).toEqual({ status: 201 });
    expect(service.log.join('\n')).not.toContain(String(propsOf(login).id));
    expect(await about(await people.owner.call.get('/dummythings'))).toEqual({ actor, status: 200 });
  });
});
