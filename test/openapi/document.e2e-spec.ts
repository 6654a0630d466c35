import { afterAll, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Describe } from '../../src/openapi-model/operation.decorator.js';
import { Routes } from '../../src/openapi-model/routes.js';
import { Caller, type Json } from '../support/client.js';
import {
  document,
  text,
  schemas,
  parametersOf,
  service,
  seeder,
  schemaOf,
  kindAt,
  pathBelowVersion,
  someRecordOf,
  anonymous,
  isCustom,
  admin,
  idFor,
  owner,
} from './described-service.js';

/* The description that a service with every prop type gives of itself: its operations, its schemas, and who may do what. */

afterAll(() => service.stop());

describe('the document', () => {
  it('is valid OpenAPI 3.1, and its schemas are valid JSON Schema', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document.document));
    expect([valid, errors]).toEqual([true, undefined]);
    for (const name of Object.keys(schemas)) document.validator({ $ref: `#/components/schemas/${name}` });
    for (const operation of document.operations) {
      for (const { schema } of parametersOf(operation)) document.validator(schema as object);
    }
  });

  it('has every route that somebody may use, once', () => {
    const routes = service.app.get(Routes).of('v1');
    expect(routes.length).toBeGreaterThan(50);
    // Each says what it is, with @Describe beside its method.
    expect(routes.filter(({ source }) => source === undefined).map(({ handler }) => handler)).toEqual([]);
    const ids = document.operations.map(({ id }) => id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    const has = (method: string, path: string) =>
      document.operations.some((one) => one.method === method && one.path === `/api/v1/${path}`);
    for (const kind of seeder.kinds) {
      const { path, create, readOnly } = kind;
      const found = [
        has('GET', path),
        has('GET', `${path}/{id}`),
        has('GET', `${path}/options`),
        has('POST', path),
        has('PUT', `${path}/{id}`),
        has('DELETE', `${path}/{id}`),
      ];
      expect([kind.kind, ...found]).toEqual([
        kind.kind,
        true,
        true,
        true,
        create.length > 0,
        !readOnly,
        !readOnly,
      ]);
      for (const name of [...kind.parents.keys(), ...kind.children.keys()]) {
        expect([name, has('GET', `${path}/{id}/${name.toLowerCase()}`)]).toEqual([name, true]);
      }
    }
    expect(has('GET', 'sessions')).toBe(false);
  });

  it('holds no secret, no hidden prop and no integer id', () => {
    expect(text).not.toMatch(
      /passwordHash|secretHash|tokenHash|Folded|stagingKey|fileKey|thumbnailKey|leased|claim/,
    );
    expect(text).not.toContain('hiddenNote');
    expect(Object.keys(schemaOf('User').properties as Json)).not.toContain('password');
    expect((schemaOf('User.Create').properties as Json).password).toMatchObject({ writeOnly: true });
    const withRealId = Object.entries(schemas).filter(([, schema]) =>
      JSON.stringify(schema).includes('realId'),
    );
    expect(withRealId.map(([name]) => name).sort()).toEqual(['DummyThing.Record', 'DummyThing.Related']);
    for (const kind of seeder.graph.all()) {
      for (const prop of kind.props.filter(({ type }) => type === 'id')) {
        const said = (schemaOf(kind.kind).properties as Json)[prop.name] as Json;
        const type = prop.name === 'id' || prop.required ? 'string' : ['string', 'null'];
        expect([kind.kind, prop.name, said.type]).toEqual([kind.kind, prop.name, type]);
      }
    }
  });

  it('says what linters of such documents ask for', () => {
    const { info, servers, tags } = document.document as {
      info: Json;
      servers: Json[];
      tags: { name: string; description: string }[];
    };
    expect(info).toMatchObject({ license: { identifier: 'MIT' }, contact: { name: expect.any(String) } });
    expect(servers).toMatchObject([{ url: '/' }]);
    expect(tags.filter(({ description }) => !description)).toEqual([]);
    const defined = tags.map(({ name }) => name);
    for (const { id, said } of document.operations) {
      expect([id, (said.tags as string[]).filter((tag) => !defined.includes(tag))]).toEqual([id, []]);
      expect([id, typeof said.summary, Boolean(said.description)]).toEqual([id, 'string', true]);
    }
    expect(defined).toEqual([...new Set(defined)].sort());
  });

  it('has examples that its own schemas allow, and patterns that mean the same without Unicode mode', () => {
    let seen = 0;
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { examples, pattern } = value as { examples?: unknown; pattern?: unknown };
      if (Array.isArray(examples)) {
        const { examples: _, ...schema } = value as Json;
        const check = document.validator(schema);
        for (const one of examples) expect([one, check(one), schema]).toEqual([one, true, schema]);
        seen++;
      }
      if (typeof pattern === 'string') {
        for (const flags of ['', 'u']) expect(() => new RegExp(pattern, flags)).not.toThrow();
        expect(pattern).not.toMatch(/\\p/);
      }
      Object.values(value).forEach(walk);
    };
    walk(document.document);
    expect(seen).toBeGreaterThan(20);
  });

  it('names schemas so that generated clients can tell them apart, whatever a kind is called', () => {
    const plain = Object.keys(schemas).map((name) => name.replace(/\W/g, '').toLowerCase());
    expect(plain.filter((name, i) => plain.indexOf(name) !== i)).toEqual([]);
    const kinds = seeder.graph.all().map(({ kind }) => kind);
    const shared = Object.keys(schemas).filter((name) => !kinds.includes(name.split('.')[0] ?? ''));
    expect(shared.sort()).toEqual(
      ['Error', 'Link', 'Option', 'Paging', 'Warning'].map((name) => `Kindred.${name}`),
    );
  });

  it('says of each operation whether it needs a session, and the service means it', async () => {
    const needs = (security: unknown) => JSON.stringify(security) === '[{"session":[]}]';
    for (const operation of document.operations) {
      const { id, method, path, said } = operation;
      if (!needs(said.security)) continue;
      const kind = kindAt(path);
      const at = pathBelowVersion(path).replace(
        /\{\w+\}/,
        kind ? await someRecordOf(kind) : 'v'.padEnd(44, 'x'),
      );
      const body = /P/.test(method) ? { body: {} } : {};
      const { status } = await anonymous.call.send(method, at, body);
      // What nobody sees without a session is not there for them.
      const isHidden = path.includes('{id}') && !kind?.view.includes('public');
      const isGuarded = id === 'importAvatar' || isCustom(operation);
      expect([id, status]).toEqual([id, isHidden && !isGuarded ? 404 : 401]);
    }
    const ids = document.operations.filter(({ said }) => needs(said.security)).map(({ id }) => id);
    for (const id of ['whoami', 'importAvatar', 'logout', 'createAPIKey', 'updateUser', 'listDummyInvoices'])
      expect(ids).toContain(id);
    for (const id of ['createUser', 'listUsers', 'login', 'live']) expect(ids).not.toContain(id);
    // A description alone would keep nobody out.
    const wrong = { id: 'x', summary: 'X', session: 'needed', response: { nothing: '' } } as const;
    expect(() => Describe(wrong)).toThrow(/@Describe of x says "session".*write @Access\('login'\)/);
  });

  it('is cached by its entity tag, and the same for everybody', async () => {
    const { headers } = await service.anon.get('//openapi.json');
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    const etag = headers.get('etag') ?? '';
    const again = await fetch(`${service.url}/openapi.json`, {
      headers: { 'if-none-match': `"x", ${etag}` },
    });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await admin.call.get('//openapi.json')).text).toBe(text);
  });
});

describe('query parameters', () => {
  it('of every list are those that the declaration gives it, and no others', () => {
    for (const kind of seeder.kinds) {
      const operation = document.operation(`list${kind.kind}s`);
      const inQuery = parametersOf(operation).filter((one) => one.in === 'query');
      const parameters = new Map(inQuery.map((one) => [one.name, one.schema as Json]));
      const seen = kind.props.filter((prop) => prop.view.length + prop.edit.length > 0 && !prop.writeOnly);
      const of = (key: 'filterQualifier' | 'filterRange' | 'filterQuery') =>
        seen.filter((prop) => prop[key]).map(({ name }) => name);
      const always = ['itemsPerPage', 'page', 'maxItems', 'sortBy', 'sortOrder'];
      const includes = ['includeMeta', 'includeLinks', 'includeOptions'];
      const expected = [
        ...[...always, ...includes, ...of('filterQualifier')],
        ...of('filterRange').flatMap((name) => [`_start_${name}`, `_end_${name}`]),
        ...(of('filterQuery').length ? ['search'] : []),
        ...(kind.parents.size ? ['includeRelated'] : []),
        ...(parameters.has('includeExtra') ? ['includeExtra'] : []),
      ];
      expect([kind.kind, [...parameters.keys()].sort()]).toEqual([kind.kind, expected.sort()]);
      const sortable = seen.filter(({ type }) => type !== 'json' && type !== 'virtual');
      expect(parameters.get('sortBy')).toMatchObject({
        enum: sortable.map(({ name }) => name),
        default: 'createdAt',
      });
    }
    // The bounds and defaults of the contract.
    const shared = new Map(
      parametersOf(document.operation('listUsers')).map((one): [unknown, unknown] => [one.name, one.schema]),
    );
    expect(shared.get('itemsPerPage')).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 10 });
    expect(shared.get('page')).toEqual({ type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 });
    expect(shared.get('maxItems')).toMatchObject({ maximum: 100_000_000_000, default: 100_000_000_000 });
    expect(shared.get('sortOrder')).toEqual({ type: 'string', enum: ['asc', 'desc'], default: 'asc' });
  });

  it('of every list are known to the service, within their bounds and no further', async () => {
    for (const operation of document.operations.filter(
      (one) => /^list/.test(one.id) && !one.id.endsWith('Options') && !isCustom(one),
    )) {
      const path = pathBelowVersion(operation.path).replace('{id}', await idFor(operation.path));
      const parameters = parametersOf(operation).filter((one) => one.in === 'query');
      const query = new URLSearchParams();
      for (const { name, schema } of parameters) {
        const value = sampleOf(schema as Json);
        expect([operation.id, name, document.validator(schema as object)(value)]).toEqual([
          operation.id,
          name,
          true,
        ]);
        query.append(String(name), String(value));
      }
      // Whoever can never see a prop gets 403; a parameter that nobody knew would be a warning.
      const { status, body } = await admin.call.get(`${path}?${query.toString()}`);
      if (status === 200) expect([operation.id, body.warnings]).toEqual([operation.id, undefined]);
      else expect([operation.id, status]).toEqual([operation.id, 403]);
    }
    for (const { name, schema } of parametersOf(document.operation('listDummyThings'))) {
      const { minimum, maximum, enum: words } = schema as Json;
      const wrong = [minimum - 1, maximum + 1].filter(Number.isFinite).map(String);
      for (const value of [...wrong, ...(words ? ['nothing'] : [])]) {
        const { status, body } = await owner.call.get(`/dummythings?${String(name)}=${value}`);
        expect([name, value, status, (body.error as Json).data]).toEqual([name, value, 422, name]);
      }
      for (const value of (words ?? []) as string[]) {
        const { status } = await admin.call.get(`/dummythings?${String(name)}=${value}`);
        // Described because somebody could see it, if nobody here.
        expect([name, value, status]).toEqual([name, value, value === 'guarded' ? 403 : 200]);
      }
    }
  });

  /** A value that the schema allows, and that filters nothing away that matters. */
  function sampleOf(schema: Json): unknown {
    if (schema.default !== undefined) return schema.default === false ? true : schema.default;
    if (schema.anyOf) return sampleOf((schema.anyOf as Json[])[0] ?? {});
    if (schema.type === 'array') return [sampleOf(schema.items as Json)];
    if (schema.enum) return (schema.enum as unknown[])[0];
    if (schema.type === 'boolean') return true;
    if (schema.type === 'integer') return 1;
    return /\\d\{4\}/.test(String(schema.pattern)) ? '2026-01-01' : 'null';
  }
});

describe('the page /docs', () => {
  it('comes from this service alone', async () => {
    const page = await fetch(`${service.url}/docs`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|\*|unsafe/);
    const html = await page.text();
    expect(html).not.toMatch(/\/\/|<script>|style=| on\w+=/);
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(files.length).toBeGreaterThan(3);
    const types = new Map([
      ['js', 'text/javascript'],
      ['css', 'text/css'],
      ['png', 'image/png'],
    ]);
    for (const file of files) {
      const response = await fetch(new URL(file, `${service.url}/docs`));
      expect([file, response.status, response.headers.get('x-content-type-options')]).toEqual([
        file,
        200,
        'nosniff',
      ]);
      expect(response.headers.get('content-type')).toContain(types.get(file.split('.').pop() ?? ''));
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
    }
    const script = await (await fetch(`${service.url}/docs/docs.js`)).text();
    expect(script).toContain(": 'openapi.json'");
    expect(script).toContain('validatorUrl: null');
    expect((await new Caller(service.url).get('//docs/swagger-ui.js')).status).toBe(404);
  });
});
