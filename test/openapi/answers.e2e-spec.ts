import { PNG } from '../support/png.js';
import { afterAll, describe, expect, it } from '@jest/globals';
import { EXAMPLE_ID } from '../../src/record/ids/ids.js';
import type { LinkedKind } from '../../src/record/schema/kind-graph.js';
import type { PropDef } from '../../src/record/schema/prop.js';
import { type Json } from '../support/client.js';
import { DocumentedCaller, type DocumentedOperation } from '../support/document.js';
import type { Factory } from '../support/factory.js';
import { PASSWORD } from '../support/fixture.js';
import { type Actor, mayChange } from '../support/reference-model.js';
import { isRuled, isScarce, isSpared, isWritten, ownerProps, wrongValues } from '../support/values.js';
import {
  service,
  seeder,
  factories,
  document,
  schemaOf,
  owner,
  anonymous,
  admin,
  parametersOf,
  kindAt,
  isCustom,
  newRecordOf,
  pathBelowVersion,
  idFor,
  everybody,
} from './described-service.js';

/** Who makes records of a kind. */
const makerOf = (kind: LinkedKind): Factory =>
  kind.create.includes('owner') || kind.create.includes('public') ? factories.owner : factories.admin;

/** Whether a write is for members alone: an owner lacks what only a group may set, or may not change the record. */
function isForMembers(kind: LinkedKind, method: string): boolean {
  if (!Object.keys(kind.groups).length) return false;
  const maker = makerOf(kind);
  return method === 'POST' ? maker.lacking(kind).length > 0 : !mayChange(kind, maker.actor);
}

/* Bodies that the description allows or forbids, and real answers held against it. */

afterAll(() => service.stop());

describe('bodies', () => {
  /** Wrong values that only the service can tell: the calendar, and which ids are ours. */
  const subtle = new Set<unknown>(['2026-02-30', 'vAAAAAAAAAAAAAAAAAAAAAA']);

  it('are described as the service takes them, value by value', async () => {
    for (const kind of seeder.kinds.filter(({ create }) => create.length)) {
      const maker = makerOf(kind);
      const name = `${kind.kind}.Create`;
      const whole = async () => {
        const body = await maker.body(kind);
        for (const prop of maker.lacking(kind)) body[prop.name] = await maker.value(kind, prop);
        return body;
      };
      const validate = document.validator({ $ref: `#/components/schemas/${name}` });
      for (let i = 0; i < 3; i++)
        expect([name, validate(await whole()), validate.errors]).toEqual([name, true, null]);
      const { properties, required = [] } = schemaOf(name) as { properties: Json; required?: string[] };
      for (const prop of kind.props.filter((one) => one.name in properties)) {
        const one = document.validator(properties[prop.name] as object);
        for (const value of wrongValues(prop).filter((wrong) => !subtle.has(wrong))) {
          const isText = prop.options !== undefined && typeof value === 'string';
          if (!isText) expect([name, prop.name, value, one(value)]).toEqual([name, prop.name, value, false]);
        }
        for (const value of extremes(prop))
          expect([name, prop.name, value, one(value)]).toEqual([name, prop.name, value, false]);
        expect([name, prop.name, one(null)]).toEqual([
          name,
          prop.name,
          !prop.required || prop.type === 'json',
        ]);
        if (prop.type === 'boolean')
          expect([one('true'), one('false'), one(true)]).toEqual([true, true, true]);
        if (!required.includes(prop.name)) continue;
        // Without it the service says 441, about this prop.
        const body = { ...(await maker.body(kind)), [prop.name]: undefined };
        const { status, body: answer } = await maker.actor.call.post(`/${kind.path}`, body);
        expect([name, prop.name, status, (answer.error as Json).code]).toEqual([name, prop.name, 422, 441]);
      }
    }
  });

  /** Values just beyond the declared bounds. */
  function extremes(prop: PropDef): unknown[] {
    if (prop.type === 'string' && prop.length !== undefined) return ['x'.repeat(prop.length + 1)];
    if (prop.type !== 'int') return [];
    return [prop.min, prop.max].flatMap((bound, i) => (bound === undefined ? [] : [bound + (i ? 1 : -1)]));
  }

  it('are refused by the description where the service refuses them, as far as patterns go', async () => {
    const id = String(owner.id);
    const file = { contentType: 'image/png', sizeInBytes: 10 };
    const job = { schedule: '@daily', handler: 'Test' };
    const user = { email: 'some.one@mail.test', password: PASSWORD };
    const cases: [string, DocumentedOperation['id'], Actor, Json, string, unknown[], unknown[]][] = [
      ['/users', 'createUser', anonymous, user, 'username', ['a b', 'a@b', 'a/b', '', 'a!'], ['É.li-z_9']],
      [
        '/cronjobs',
        'createCronJob',
        admin,
        job,
        'schedule',
        ['* * *', '@never', '1 2 3 4 5 6', 'often'],
        ['0 0 1 jan sun', '@Hourly'],
      ],
      [
        '/cronjobs',
        'createCronJob',
        admin,
        job,
        'timezone',
        ['Europe Berlin', '+01:00', 5],
        ['Europe/Berlin', 'utc'],
      ],
      ['/cronjobs', 'createCronJob', admin, job, 'params', [[], 'x', 5, true], [{ a: 1 }, null]],
      [
        '/objectfiles',
        'createObjectFile',
        owner,
        file,
        'filename',
        ['a', 'a/b.png', 'a.exe', '.png', ' a.png', 'a?.png'],
        ['a b.c.PNG', 'é.png'],
      ],
      [
        '/objectfiles',
        'createObjectFile',
        owner,
        { ...file, filename: 'a.png' },
        'sizeInBytes',
        [0, -1, 1.5],
        [5],
      ],
      [
        `/users/${id}/import-avatar`,
        'importAvatar',
        owner,
        {},
        'objectFileId',
        ['1', 'v1', `v${'a'.repeat(29)}`, 7],
        [],
      ],
    ];
    for (const [path, operation, { call }, rest, prop, wrong, good] of cases) {
      const { said, method } = document.operation(operation);
      const { content } = said.requestBody as { content: Json };
      const valid = document.validator((content['application/json'] as Json).schema as object);
      for (const value of [...wrong, ...good]) {
        const body = { ...rest, [prop]: value };
        const { status, text: answer } = await call.send(method, path, { body });
        const isGood = good.includes(value);
        expect([path, prop, value, valid(body)]).toEqual([path, prop, value, isGood]);
        expect([answer, status < 300]).toEqual([answer, isGood]);
      }
    }
  });
});

describe('answers', () => {
  it('tell what is always there, who may be told what, and what a write depends on', () => {
    for (const kind of seeder.graph.all()) {
      const { required = [], properties } = schemaOf(kind.kind) as { required?: string[]; properties: Json };
      for (const prop of kind.props.filter(({ type, writeOnly }) => type !== 'virtual' && !writeOnly)) {
        const who = [...prop.view, ...prop.edit];
        const roles = kind.owner.filter((entry) => /^\w/.test(entry));
        const sees = (entry: string) =>
          who.includes(entry) || (who.includes('owner') && roles.includes(entry));
        const always = who.includes('public') || [...kind.view, ...kind.create].every(sees);
        expect([kind.kind, prop.name, prop.name in properties]).toEqual([
          kind.kind,
          prop.name,
          who.length > 0,
        ]);
        expect([kind.kind, prop.name, required.includes(prop.name)]).toEqual([
          kind.kind,
          prop.name,
          always && who.length > 0,
        ]);
        const said = (properties[prop.name] ?? {}) as Json;
        if (prop.enums && prop.type === 'enum' && who.length)
          expect((said.enum as unknown[]).filter((one) => one !== null)).toEqual(prop.enums);
      }
    }
    const names = (operation: DocumentedOperation) => parametersOf(operation).map(({ name }) => String(name));
    for (const operation of document.operations.filter(
      (one) => kindAt(one.path)?.generic && !isCustom(one),
    )) {
      const { id, method, said, path } = operation;
      const isWrite = (method === 'PUT' || method === 'DELETE') && path.includes('{id}');
      const responses = said.responses as Json;
      expect([id, names(operation).includes('If-Match')]).toEqual([id, isWrite]);
      // Conditions are read where a record or list is shown or changed, and nowhere else.
      const { content = {} } = (responses['200'] ?? {}) as { content?: Json };
      const isShown = method === 'GET' && !path.endsWith('/options') && 'application/json' in content;
      const conditions = [names(operation).includes('If-None-Match'), '412' in responses, '304' in responses];
      if (!path.endsWith('/avatar-image'))
        expect([id, conditions]).toEqual([id, [isShown || isWrite, isShown || isWrite, isShown]]);
      const good = Object.keys(responses).find((status) => status.startsWith('2'));
      expect([id, good]).toEqual([id, method === 'POST' ? '201' : '200']);
      if (method === 'POST' && path === `/api/v1/${kindAt(path)?.path}`)
        expect(Object.keys(responses)).toEqual(
          expect.arrayContaining(['400', '401', '409', '413', '415', '422']),
        );
      if (method !== 'POST' && path.includes('{id}')) expect(Object.keys(responses)).toContain('404');
    }
    const { properties, required } = schemaOf('User.Record') as { properties: Json; required: string[] };
    expect(required).toEqual(['props']);
    expect(Object.keys(properties)).toEqual(
      expect.arrayContaining(['props', 'links', 'meta', 'related', 'options', 'warnings']),
    );
    expect((schemaOf('APIKey.Created') as { required: string[] }).required).toEqual(['props', 'meta']);
    expect(schemaOf('User.List')).toMatchObject({ required: ['paging', 'items'] });
  });

  const includes = 'includeMeta=true&includeLinks=true&includeOptions=true';

  it('of all reads are as described, for everybody', async () => {
    for (const kind of seeder.kinds) {
      await newRecordOf(kind);
      if (!kind.create.includes('admin')) await factories.admin.create(kind).catch(() => undefined);
    }
    for (const operation of document.operations.filter(
      (one) => one.method === 'GET' && kindAt(one.path)?.generic && !isCustom(one),
    )) {
      if (operation.id === 'readAvatarImage') continue; // bytes
      const names = (name: string) =>
        parametersOf(operation)
          .filter((one) => one.name === name)
          .flatMap(({ schema }) => ((schema as Json).items as Json).enum as string[])
          .join();
      const more = ['includeRelated', 'includeExtra'].map((name) => `&${name}=${names(name)}`).join('');
      const at = (id: string) => pathBelowVersion(operation.path).replace('{id}', id);
      const path = at(await idFor(operation.path));
      for (const { call } of everybody) await call.get(`${path}?${includes}${more}&nonsense=1`);
      await owner.call.get(path);
      await owner.call.get(at('vnothing1'));
      await admin.call.get(`${path}?includeMeta=maybe`);
      await new DocumentedCaller(document, service.url, 'vbad').get(path);
    }
  });

  it('of all writes are as described, good and bad', async () => {
    for (const kind of seeder.kinds) {
      const id = await newRecordOf(kind);
      const at = `/${kind.path}/${id}`;
      const own = kind.owner.includes('admin') ? admin : owner;
      await own.call.put(`${at}?${includes}`, {});
      await own.call.put(at, { nothing: 1, createdAt: null });
      await own.call.put(at, {}, { headers: { 'if-match': '"old"' } });
      await own.call.put(at, 'no json', { headers: { 'content-type': 'text/plain' } });
      for (const { call } of everybody) {
        await call.put(at, '{');
        await call.put(`/${kind.path}/vnothing1`, {});
        await call.post(`/${kind.path}`, {});
        await call.post(`/${kind.path}`, Object.fromEntries(kind.props.map(({ name }) => [name, [{}]])));
        await call.delete(`/${kind.path}/vnothing1`);
      }
      await anonymous.call.delete(at);
      await own.call.delete(`${at}?${includes}`);
    }
  });

  it('of the project’s own operations are as described, where there is no such record', async () => {
    for (const { method, path, said } of document.operations.filter(isCustom)) {
      if (!path.includes('{id}') && method !== 'GET') continue;
      const body = said.requestBody ? { body: {} } : {};
      for (const { call } of [anonymous, owner]) {
        await call.send(method, pathBelowVersion(path).replace('{id}', 'vnothing1'), {
          ...body,
          anyType: true,
          own: true,
        });
      }
    }
  });

  it('of all special operations are as described', async () => {
    const { call } = owner;
    await call.get(`/users/whoami?${includes}`);
    await anonymous.call.get('/users/whoami');
    await call.get('//health/live');
    await call.get('//health/ready');
    await call.get('//openapi.json');
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      await anonymous.call.send(method, '/test?a=1&a=2&b=', /P/.test(method) ? { body: { deep: [{}] } } : {});
    }
    await anonymous.call.post('/test', '[]');
    const jobs = seeder.graph.get('CronJob');
    await admin.call.post(`/cronjobs/${await newRecordOf(jobs)}/run?${includes}&includeRelated=cronJob`);
    await admin.call.post('/cronjobs/vnothing1/run');
    await owner.call.post(`/cronjobs/${await newRecordOf(jobs)}/run`);

    const { body } = await anonymous.call.post(`/sessions?${includes}&includeRelated=user`, {
      login: 'owner_u',
      password: PASSWORD,
    });
    const id = String((body.props as Json).id);
    const session = new DocumentedCaller(document, service.url, id);
    for (const path of [
      `/sessions/${id}`,
      '/sessions/vnone',
      `/sessions/${id}/user`,
      '/sessions/vnone/user',
    ]) {
      await session.get(`${path}?${includes}`);
    }
    await session.delete('/sessions/vnone');
    await session.delete(`/sessions/${id}?includeMeta=true`);
    await session.delete('/sessions');
    const { body: second } = await anonymous.call.post('/sessions', { login: 'owner_u', password: PASSWORD });
    const cookie = String((second.props as Json).id);
    await new DocumentedCaller(document, service.url, cookie).delete(`/sessions?includeMeta=true`);
    for (const wrong of [{}, { login: 1, password: 'x' }, { login: 'owner_u', password: 'wrong' }]) {
      await anonymous.call.post('/sessions', wrong);
    }
  });

  it('of an upload are as described, in all its steps', async () => {
    const { call } = owner;
    const created = await call.post(`/objectfiles?${includes}&includeExtra=downloadUrl`, {
      filename: 'olive.png',
      contentType: 'image/png',
      sizeInBytes: PNG.length,
    });
    const meta = created.body.meta as Json;
    const url = String(meta.presignedUrl);
    const put = async (target: string) => {
      const headers = meta.uploadHeaders as Record<string, string>;
      const response = await fetch(target, { method: 'PUT', headers, body: PNG });
      const sent = await response.text();
      document.check('PUT', target, {
        status: response.status,
        headers: response.headers,
        body: sent ? (JSON.parse(sent) as Json) : {},
      });
      return response.status;
    };
    expect([await put(`${url}0`), await put(url)]).toEqual([403, 200]);
    const at = `/users/${String(owner.id)}/import-avatar`;
    const file = String((created.body.props as Json).id);
    for (const wrong of [{}, { objectFileId: 1 }, { objectFileId: 'vnothing1' }]) await call.put(at, wrong);
    await call.put('/users/vnothing1/import-avatar', { objectFileId: file });
    await anonymous.call.put(at, { objectFileId: file });
    const imported = await call.put(`${at}?${includes}&includeRelated=avatar`, { objectFileId: file });
    expect(imported.status).toBe(200);
    await call.put(at, { objectFileId: file });
    const ready = await call.get(`/objectfiles/${file}?${includes}&includeExtra=downloadUrl`);
    await call.get(`/users/${String(owner.id)}/avatar?${includes}`);
    const { thumbnail } = ready.body.links as Record<string, Json>;
    const { avatarImage } = imported.body.links as Record<string, Json>;
    const paths = [
      thumbnail?.href,
      avatarImage?.href,
      `/files/${file}/file?expires=1&signature=x`,
      '/api/v1/users/vnothing1/avatar-image',
    ];
    for (const path of paths.map(String)) {
      for (const headers of [{}, { range: 'bytes=0-3' }, { range: 'bytes=99999999-' }] as Record<
        string,
        string
      >[]) {
        const response = await fetch(service.url + path, { headers });
        const isJson = response.headers.get('content-type')?.startsWith('application/json');
        const bytes = await response.arrayBuffer();
        document.check('GET', service.url + path, {
          status: response.status,
          headers: response.headers,
          body: isJson ? (JSON.parse(Buffer.from(bytes).toString()) as Json) : {},
        });
      }
    }
  });

  it('have met every operation, with a good answer and with a failure where one can happen', async () => {
    const met = (id: string, pattern: RegExp) =>
      [...document.met].some((one) => one.startsWith(`${id} `) && pattern.test(one));
    // What hooks decide about, and one's own operations, are for tests of one's own.
    const isForOthers = async (one: DocumentedOperation) => {
      const kind = kindAt(one.path);
      if (isCustom(one) || !kind?.generic) return isCustom(one);
      const parent = [...kind.parents.values()].find(({ relation }) =>
        one.path.endsWith(`/{id}/${relation.name.toLowerCase()}`),
      );
      if (!parent) return one.method !== 'GET' && (!isWritten(kind) || isForMembers(kind, one.method));
      // Such as a file, or one of the same kind: the records of the tests go without.
      const isOptional = !parent.prop.required && !ownerProps(kind).includes(parent.prop);
      const isGiven = async () =>
        parent.kind !== kind && parent.prop.name in (await factories.owner.body(kind));
      return isOptional && (!isWritten(kind) || !(await isGiven()));
    };
    const ids: string[] = [];
    for (const one of document.operations) if (!(await isForOthers(one))) ids.push(one.id);
    expect(ids.filter((id) => !met(id, / 2\d\d$/))).toEqual([]);
    // A new operation: call it above, with the special ones.
    // They look at nothing that could be wrong.
    const carefree = ['live', 'ready', 'readOpenApi', 'echoGet', 'echoPut', 'echoDelete'];
    expect(ids.filter((id) => !met(id, / 4\d\d$/) && !carefree.includes(id))).toEqual([]);
  });
});

describe('every documented example', () => {
  const fired = document.operations.flatMap((operation) => {
    const content = ((operation.said.requestBody as Json | undefined)?.content as Json | undefined)?.[
      'application/json'
    ] as Json | undefined;
    const examples = Object.entries((content?.examples ?? {}) as Record<string, Json>);
    return examples.map(([name, { value }]) => ({
      operation,
      name,
      body: value as Json,
      schema: content?.schema as object,
    }));
  });
  /** The ones that other tests bring secrets and bytes for. */
  const special: Record<string, () => Promise<Json>> = {
    'login apiKey': async () => {
      const { body } = await owner.call.post('/apikeys', { name: 'for the example' });
      return {
        apiKey: String((body.props as Json).id),
        privateKey: String((body.meta as Json).privateKey),
      };
    },
    'importAvatar import': async () => {
      const body = { filename: 'olive.png', contentType: 'image/png', sizeInBytes: PNG.length };
      const created = (await owner.call.post('/objectfiles', body)).body;
      const { presignedUrl, uploadHeaders } = created.meta as Json;
      await fetch(String(presignedUrl), {
        method: 'PUT',
        headers: uploadHeaders as Record<string, string>,
        body: PNG,
      });
      return { objectFileId: String((created.props as Json).id) };
    },
  };

  it('is there, for every body', () => {
    expect(fired.length).toBeGreaterThan(20);
    // One that is missing: give the prop an `example`, or its format one.
    const withBody = document.operations.filter(
      (one) => one.said.requestBody && one.id !== 'upload' && !isCustom(one),
    );
    expect(
      withBody.filter((one) => !fired.some(({ operation }) => operation === one)).map(({ id }) => id),
    ).toEqual([]);
  });

  it('works', async () => {
    // Users come first: logins name the one of the example.
    const order = [...fired].sort(
      (a, b) => Number(b.operation.id === 'createUser') - Number(a.operation.id === 'createUser'),
    );
    for (const { operation, name, body, schema } of order) {
      const title = `${operation.id} ${name}`;
      expect([title, document.validator(schema)(body)]).toEqual([title, true]);
      const kind = kindAt(operation.path);
      if (isCustom(operation) || (kind && (!isWritten(kind) || isForMembers(kind, operation.method))))
        continue;
      const isOwned = kind?.create.includes('owner') || kind?.create.includes('public');
      const { call } =
        operation.id === 'createUser' || operation.id === 'login'
          ? anonymous
          : isOwned || !kind
            ? owner
            : admin;
      if (kind && isScarce(kind) && operation.method === 'POST')
        await seeder.clear(kind, isOwned ? owner.id : admin.id);
      const path = pathBelowVersion(operation.path).replace(
        '{id}',
        operation.id === 'importAvatar' ? String(owner.id) : await idFor(operation.path),
      );
      const { status, body: answer } = await call.send(operation.method, path, {
        body:
          (await special[title]?.()) ??
          (await real(body, kind, isOwned ? factories.owner : factories.admin, operation.method === 'PUT')),
      });
      expect([title, status < 300, answer.error, answer.warnings]).toEqual([
        title,
        true,
        undefined,
        undefined,
      ]);
    }
  });

  /** Ids in examples stand for those of real records, and what a hook or a unique rule asks for is in no declaration. */
  async function real(
    body: Json,
    kind: LinkedKind | undefined,
    maker: Factory,
    isChange: boolean,
  ): Promise<Json> {
    const copy = { ...body };
    if (!kind) return copy;
    const isAsked = (prop: PropDef) =>
      prop.name in copy || (!isChange && isRuled(kind, prop) && maker.postable(kind).includes(prop));
    for (const prop of kind.props.filter(isAsked)) {
      const hasExample = (prop.example ?? prop.format?.example) !== undefined;
      if (isSpared(kind, prop) || !maker.postable(kind).includes(prop))
        Reflect.deleteProperty(copy, prop.name);
      else if (
        copy[prop.name] === EXAMPLE_ID ||
        (isRuled(kind, prop) && !hasExample) ||
        (isChange && prop.unique)
      )
        copy[prop.name] = await maker.value(kind, prop);
    }
    return copy;
  }
});
