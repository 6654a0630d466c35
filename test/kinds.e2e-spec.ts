import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LinkedKind } from '../src/record/schema/kind-graph.js';
import { columnOf, type PropDef } from '../src/record/schema/prop.js';
import { ApiVersions } from '../src/record/api-versions.js';
import { TEST_KINDS } from './kinds/kinds.js';
import type { Answer, Json } from './support/client.js';
import { Factory } from './support/factory.js';
import { addPerson } from './support/fixture.js';
import {
  type Actor,
  couldSeeProp,
  expectList,
  mayCreate,
  owns,
  type Params,
  type World,
} from './support/oracle.js';
import type { TestService } from './support/service.js';
import {
  inheritingProps,
  isMovable,
  isRuled,
  isScarce,
  isScarceForAll,
  isSpared,
  isStored,
  isWritten,
  MAX_BODY,
  ownerProps,
  textOfLength,
  wrongValues,
} from './support/values.js';
import {
  inVersion,
  personActor,
  seedWorld,
  type Seeder,
  type Stage,
  startStages,
  titleOf,
} from './support/world.js';

/*
 * The engine, once for all kinds: every declaration of the running service is put through every operation that it
 * promises. A new kind is tested by being there.
 */

const stages = await startStages({ kinds: TEST_KINDS, template: 'kinds' }, prepare);

afterAll(async () => {
  for (const { service } of stages) await service.stop();
});

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const BASE = ['id', 'createdAt', 'updatedAt'];

/** A world, and who makes records in it. */
async function prepare({ version, service, seeder, cast: { owner, other } }: Stage) {
  const chief = inVersion(version, await chiefPerson(service, seeder));
  await seedWorld(seeder, [owner.id, chief.id, other.id, null, owner.id, chief.id, other.id, owner.id]);
  const factories = new Map([owner, chief].map((actor) => [actor, new Factory(seeder, actor)]));
  let cached: World | null = null;
  return {
    chief,
    factories,
    engine: service.app.get(ApiVersions).engine(version),
    /** The records as they are, read anew only where a test says so. */
    world: async (fresh = false): Promise<World> => {
      if (fresh || !cached) cached = await seeder.world();
      return cached;
    },
    /** Who makes and owns records of a kind: an ordinary user where the declaration lets one. */
    makerOf: (kind: LinkedKind): Factory => {
      const personal = ownerProps(kind).length > 0 || inheritingProps(kind).length > 0;
      const actor = personal && mayCreate(kind, owner) ? owner : chief;
      const factory = factories.get(actor);
      if (!factory) throw new Error('no factory');
      return factory;
    },
  };
}

/** A user with every role. */
async function chiefPerson(service: TestService, seeder: Seeder): Promise<Actor> {
  const person = await addPerson(service, 'chief_u', 'chief.secret@mail.test', 'Chief');
  const { userKind } = seeder.graph;
  const roles = userKind.props.filter((prop) => prop.type === 'boolean');
  const sets = roles.map((role) => `"${columnOf(role)}" = true`).join(', ');
  await service.sql(`UPDATE users SET ${sets} WHERE id = $1`, [seeder.rowId(userKind, person.id)]);
  return personActor(
    'chief',
    person,
    roles.map(({ name }) => name),
  );
}

const query = (params: Params) =>
  params.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
type Fields = Record<string, unknown>;
const propsOf = ({ body }: Answer) => body.props as Fields;
const errorOf = ({ body }: Answer) => body.error as Fields | undefined;
const fault = (answer: Answer): unknown[] => [answer.status, errorOf(answer)?.code, errorOf(answer)?.data];
/** Code and subject of each warning. */
const told = ({ body }: Answer): unknown[][] =>
  ((body.warnings ?? []) as Fields[]).map(({ code, data }) => [code, data]);
const without = (object: Fields, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** Ids of all pages of a list. */
async function listAll(
  actor: Actor,
  path: string,
  params: Params,
): Promise<{ ids: string[]; total: number }> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const text = query([...params, ['itemsPerPage', '100'], ['page', String(page)]]);
    const { status, body, text: raw } = await actor.call.get(`${path}?${text}`);
    if (status !== 200) throw new Error(`GET ${path}?${text}: ${raw}`);
    expect([text, body.warnings]).toEqual([text, undefined]);
    ids.push(...(body.items as Json[]).map((item) => String((item.props as Json).id)));
    const paging = body.paging as Json;
    if (page >= Number(paging.totalPages)) return { ids, total: Number(paging.totalItems) };
  }
}

const [{ seeder: firstSeeder }] = stages;
const richest = [...firstSeeder.kinds].sort((a, b) => b.props.length - a.props.length)[0];
const walked = stages.flatMap((stage) =>
  stage.seeder.kinds.map((kind) => ({ name: titleOf(kind), kind, stage })),
);

describe.each(walked)('$name', ({ kind, stage }) => {
  const { service, seeder, cast, version } = stage;
  const { other, anonymous } = cast;
  const { chief, factories, engine, world, makerOf } = stage.prepared;
  const maker = makerOf(kind);
  const { actor } = maker;
  const call = actor.call;
  const base = `/${kind.path}`;
  const postable = maker.postable(kind);
  /** Whether the tests write records over the API: not where hooks decide about more than values, or few are possible. */
  const writes = isWritten(kind) && !isScarce(kind);
  const creates = mayCreate(kind, actor) && writes;
  const owning = new Set(ownerProps(kind));
  const editable = postable.filter((prop) => !prop.createOnly);
  /** Props that no body may ever set: the service's own, which may follow from others. */
  const derived = kind.props
    .filter((prop) => !prop.edit.length && !BASE.includes(prop.name))
    .map((p) => p.name);
  /** Props that may change without who owns the record changing. */
  const harmless = editable.filter((prop) => !owning.has(prop) && !inheritingProps(kind).includes(prop));
  /** Those of which any value will do that the declaration allows: no hook asks for more, no unique rule for another. */
  const free = harmless.filter((prop) => !isRuled(kind, prop) && isMovable(kind, prop));
  const seen = kind.props.filter((prop) => isStored(prop) && couldSeeProp(kind, actor, prop));
  const hasFiles = (prop: PropDef) =>
    prop.relation?.type === 'parent' && prop.relation.acceptedFileExtensions !== undefined;

  /** The kind with the most props goes through every wrong value; for the others one of each sort will do. */
  const candidates = <T>(values: readonly T[]): readonly T[] =>
    kind === richest ? values : values.slice(0, 1);

  /** A record for all tests that leave it as it is or don't mind. */
  let shared = '';
  const self = () => `${base}/${shared}`;
  beforeAll(async () => {
    await maker.body(kind); // makes the parents, of which one may be of this kind
    shared = writes ? await maker.create(kind) : await maker.parent(kind);
  });

  const put = (body: unknown, headers = {}) => call.put(self(), body, { headers });
  const same = async (work: () => Promise<void>): Promise<void> => {
    const before = await call.get(self());
    await work();
    const after = await call.get(self());
    expect(after.body).toEqual(before.body);
  };

  describe('create and read', () => {
    it('answers what was posted, and read answers the same', async () => {
      if (!creates) {
        if (!mayCreate(kind, actor)) expect(fault(await call.post(base, {}))).toEqual([403, 403, null]);
        return;
      }
      const body = await maker.body(kind);
      const created = await call.post(base, body);
      expect([created.status, created.body.warnings]).toEqual([201, undefined]);
      const props = propsOf(created);
      expect(Object.keys(props).sort()).toEqual(seen.map((prop) => prop.name).sort());
      for (const prop of seen)
        if (prop.name in body) expect([prop.name, props[prop.name]]).toEqual([prop.name, body[prop.name]]);
      for (const prop of owning) expect(props[prop.name]).toBe(actor.id);
      expect(props.id).toMatch(/^v[A-Za-z0-9]+$/);
      expect(props.createdAt).toMatch(DATE);
      expect(props.updatedAt).toBe(props.createdAt);
      expect(Math.abs(Date.parse(String(props.createdAt)) - Date.now())).toBeLessThan(60_000);

      const read = await call.get(`${base}/${String(props.id)}`);
      expect([read.status, read.body]).toEqual([200, { props }]);
      expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
      expect(read.headers.get('etag')).toMatch(/^"[^"]+"$/);
    });

    it('needs the required props alone; the others get their default or null', async () => {
      if (!creates) return;
      const body = await maker.body(kind);
      const required = postable.filter(
        (prop) => prop.required && (prop.default === undefined || prop.default === ''),
      );
      const ruled = postable.filter((prop) => isRuled(kind, prop));
      const needed = [...required, ...inheritingProps(kind), ...ruled].map((prop) => prop.name);
      const given = Object.fromEntries(Object.entries(body).filter(([name]) => needed.includes(name)));
      const created = await call.post(base, given);
      expect([created.text, created.status]).toEqual([created.text, 201]);
      for (const prop of seen) {
        if (prop.name in given || BASE.includes(prop.name) || owning.has(prop)) continue;
        if (derived.includes(prop.name)) continue;
        expect([prop.name, propsOf(created)[prop.name]]).toEqual([prop.name, prop.default ?? null]);
      }
    });

    it('writes dates as UTC with milliseconds, ids as ids, booleans and ints as such', async () => {
      for (const { props } of await items()) {
        for (const prop of seen) {
          const value = props[prop.name];
          if (value === null || value === undefined) continue;
          if (prop.type === 'date') expect(value).toMatch(DATE);
          if (prop.type === 'id') expect(value).toMatch(/^v[A-Za-z0-9]+$/);
          if (prop.type === 'int') expect(Number.isSafeInteger(value)).toBe(true);
          if (prop.type === 'boolean') expect(typeof value).toBe('boolean');
          if (prop.type === 'enum') expect(prop.options ?? prop.enums).toContain(prop.options ?? value);
        }
      }
    });

    it('answers 404 for ids that are none, of another kind, altered or gone', async () => {
      const userId = String(actor.id);
      const kinds = seeder.graph.all().filter((one) => one !== kind);
      const foreign = kinds.map((one) => seeder.publicId(one, seeder.rowId(kind, shared)));
      const strange = [
        '1',
        '0',
        '-1',
        'v',
        'null',
        'undefined',
        'vabc',
        `${shared}a`,
        shared.slice(0, -1),
        shared.slice(1),
      ];
      const altered = shared.slice(0, 9) + (shared[9] === 'a' ? 'b' : 'a') + shared.slice(10);
      const cased = shared.toLowerCase() === shared ? shared.toUpperCase() : shared.toLowerCase();
      const absent = seeder.publicId(kind, '9000000000000');
      const others = kind === seeder.graph.userKind ? [] : [userId];
      for (const id of [
        ...foreign,
        ...candidates(strange),
        altered,
        cased,
        absent,
        ...others,
        '%20',
        "v'--",
        '%00x'.slice(3),
      ]) {
        for (const method of foreign[0] === id || id === absent || id === altered
          ? ['GET', 'PUT', 'DELETE']
          : ['GET']) {
          const answer = await call.send(method, `${base}/${id}`, method === 'PUT' ? { body: {} } : {});
          expect([method, id, ...fault(answer)]).toEqual([method, id, 404, 404, null]);
        }
      }
    });
  });

  async function items(params: Params = []): Promise<{ props: Fields }[]> {
    const { status, body } = await call.get(`${base}?${query([...params, ['itemsPerPage', '100']])}`);
    expect(status).toBe(200);
    return body.items as { props: Fields }[];
  }

  // Records that only the service's own code changes, or that hooks decide about.
  const whereWritten = kind.readOnly || !writes ? describe.skip : describe;
  if (kind.readOnly) {
    it('is read-only, for owners too', async () => {
      await same(async () => {
        expect(fault(await put({}))).toEqual([403, 403, null]);
        expect(fault(await call.delete(self()))).toEqual([403, 403, null]);
      });
    });
  }

  if (isScarce(kind) && !isScarceForAll(kind) && isWritten(kind) && mayCreate(kind, actor)) {
    it('takes the one record that there can be, and no second one', async () => {
      await seeder.clear(kind, actor.id);
      const made = await call.post(base, await maker.body(kind));
      expect([made.text, made.status]).toEqual([made.text, 201]);
      expect(fault(await call.post(base, await maker.body(kind))).slice(0, 2)).toEqual([409, 409]);
      expect((await call.delete(`${base}/${String(propsOf(made).id)}`)).status).toBe(
        kind.readOnly ? 403 : 200,
      );
      shared = await maker.parent(kind);
      expect((await call.get(self())).status).toBe(200);
    });
  }

  whereWritten('update', () => {
    it('changes exactly the prop that is given, one after the other', async () => {
      const id = await maker.create(kind);
      const path = `${base}/${id}`;
      const auto = kind.props.filter((prop) => prop.autoUpdate).map((prop) => prop.name);
      for (const prop of harmless) {
        if (hasFiles(prop) || isSpared(kind, prop)) continue;
        const before = await call.get(path);
        const old = propsOf(before)[prop.name];
        let value = await maker.value(kind, prop);
        for (let i = 0; value === old && i < 3; i++) value = await maker.value(kind, prop);
        // The one parent that there is has to be taken away first.
        if (value === old && !prop.required) value = null;
        if (value === old) continue;
        const changed = await call.put(path, { [prop.name]: value });
        const where = `${prop.name}: ${changed.text}`;
        expect([where, changed.status, changed.body.warnings]).toEqual([where, 200, undefined]);
        const expected = without(propsOf(before), 'updatedAt', ...derived);
        if (!prop.writeOnly) expected[prop.name] = value;
        expect(without(propsOf(changed), 'updatedAt', ...derived)).toEqual(expected);
        expect(Date.parse(String(propsOf(changed).updatedAt))).toBeGreaterThan(
          Date.parse(String(propsOf(before).updatedAt)),
        );
        for (const name of auto) {
          expect(Date.parse(String(propsOf(changed)[name])) - Date.now()).toBeLessThan(60_000);
          expect(propsOf(changed)[name]).not.toBe(propsOf(before)[name]);
        }
        expect(changed.headers.get('etag')).not.toBe(before.headers.get('etag'));
        const read = await call.get(path);
        expect(read.body).toEqual({ props: propsOf(changed) });
        expect(read.headers.get('etag')).toBe(changed.headers.get('etag'));
      }
    });

    it('clears optional props with null, and them alone', async () => {
      for (const prop of editable.filter((one) => !one.required && !isRuled(kind, one))) {
        const path = `${base}/${await maker.create(kind)}`;
        const answer = await call.put(path, { [prop.name]: null });
        expect([prop.name, answer.status]).toEqual([prop.name, 200]);
        if (prop.name in propsOf(answer))
          expect([prop.name, propsOf(answer)[prop.name]]).toEqual([prop.name, null]);
      }
      await same(async () => {
        for (const prop of editable.filter((one) => one.required)) {
          expect(fault(await put({ [prop.name]: null }))).toEqual([422, 441, prop.name]);
          expect(fault(await put({ [prop.name]: '' }))).toEqual([422, 441, prop.name]);
        }
      });
    });

    it('leaves updatedAt and ETag alone when nothing changes', async () => {
      const before = await call.get(self());
      const kept = Object.fromEntries(
        editable.filter((prop) => !prop.writeOnly).map((prop) => [prop.name, propsOf(before)[prop.name]]),
      );
      for (const body of [{}, kept]) {
        const answer = await put(body);
        expect([answer.status, answer.body]).toEqual([200, before.body]);
        expect(answer.headers.get('etag')).toBe(before.headers.get('etag'));
      }
      expect((await call.get(self())).body).toEqual(before.body);
    });

    it('takes back what it has given out, without a warning', async () => {
      const { body } = await call.get(self());
      const answer = await put(body.props);
      expect([answer.text, answer.status]).toEqual([answer.text, 200]);
      expect(without(propsOf(answer))).toEqual(body.props);
      expect(told(answer)).toEqual([]);
    });

    it('holds to If-Match', async () => {
      const before = await call.get(self());
      const etag = String(before.headers.get('etag'));
      for (const tag of ['"x"', 'x', `W/${etag}`, '']) {
        const answer = await put({}, { 'if-match': tag });
        expect([tag, ...fault(answer)]).toEqual([tag, 412, 412, null]);
      }
      expect(fault(await call.delete(self(), { headers: { 'if-match': '"x"' } }))).toEqual([412, 412, null]);
      for (const tag of [etag, '*', `"x", ${etag}`, `${etag},"y"`]) {
        expect([tag, (await put({}, { 'if-match': tag })).status]).toEqual([tag, 200]);
      }
      const [prop] = free.filter((one) => one.type === 'string' && one.options === undefined);
      if (!prop) return;
      const changed = await put({ [prop.name]: await maker.value(kind, prop) }, { 'if-match': etag });
      expect(changed.status).toBe(200);
      const late = await put({ [prop.name]: await maker.value(kind, prop) }, { 'if-match': etag });
      expect(late.status).toBe(412);
      expect((await call.get(self())).body).toEqual({ props: propsOf(changed) });
      expect((await call.get(self())).headers.get('etag')).toBe(changed.headers.get('etag'));
    });
  });

  whereWritten('what a body may hold', () => {
    it('takes the longest text and refuses one character more', async () => {
      for (const prop of free.filter((one) => one.type === 'string' && one.options === undefined)) {
        const { length = 0, minLength = 0 } = prop;
        if (length * 4 > MAX_BODY) continue;
        const longest = textOfLength(prop, length);
        const astral = prop.format || prop.uniqueCaseInsensitive ? null : '😀'.repeat(length);
        for (const text of [longest, astral]) {
          if (text === null) continue;
          const answer = await put({ [prop.name]: text });
          expect([prop.name, answer.status, errorOf(answer)]).toEqual([prop.name, 200, undefined]);
          if (!prop.writeOnly) expect(propsOf(answer)[prop.name] === text).toBe(true);
        }
        await same(async () => {
          const over = [textOfLength(prop, length + 1) ?? 'x'.repeat(length + 1)];
          if (astral !== null) over.push('😀'.repeat(length + 1));
          if (minLength > 1) over.push(textOfLength(prop, minLength - 1) ?? 'x');
          for (const text of over) {
            expect(fault(await put({ [prop.name]: text }))).toEqual([422, 442, prop.name]);
            if (creates)
              expect(fault(await maker.post(kind, { [prop.name]: text }))).toEqual([422, 442, prop.name]);
          }
        });
        if (minLength > 1)
          expect((await put({ [prop.name]: textOfLength(prop, minLength) })).status).toBe(200);
        // Plain again, so that the lists below sort alike in every collation.
        expect((await put({ [prop.name]: await maker.value(kind, prop) })).status).toBe(200);
      }
    });

    it('takes the least and the greatest integer and refuses those beyond', async () => {
      for (const prop of free.filter((one) => one.type === 'int')) {
        const min = prop.min ?? Number.MIN_SAFE_INTEGER;
        const max = prop.max ?? Number.MAX_SAFE_INTEGER;
        for (const value of [min, max]) {
          const answer = await put({ [prop.name]: value });
          expect([prop.name, answer.status]).toEqual([prop.name, 200]);
          if (seen.includes(prop)) expect(propsOf(answer)[prop.name]).toBe(value);
          const [row] = await service.sql<{ value: string }>(
            `SELECT "${columnOf(prop)}" AS value FROM "${kind.table}" WHERE id = $1`,
            [seeder.rowId(kind, shared)],
          );
          expect(row?.value).toBe(String(value));
        }
        await same(async () => {
          for (const value of [min - 1, max + 1, min - 0.5]) {
            expect(fault(await put({ [prop.name]: value }))).toEqual([422, 442, prop.name]);
          }
        });
      }
    });

    it('holds to the same limits where a prop is set once and for all', async () => {
      if (!creates) return;
      for (const prop of postable.filter((one) => one.createOnly)) {
        const beyond: unknown[] =
          prop.type === 'string'
            ? [textOfLength(prop, (prop.length ?? 0) + 1) ?? 'x'.repeat((prop.length ?? 0) + 1)]
            : prop.type === 'int'
              ? [(prop.min ?? Number.MIN_SAFE_INTEGER) - 1, (prop.max ?? Number.MAX_SAFE_INTEGER) + 1]
              : [];
        for (const value of beyond) {
          expect(fault(await maker.post(kind, { [prop.name]: value }))).toEqual([422, 442, prop.name]);
        }
      }
    });

    it('takes booleans and enums as options list them', async () => {
      for (const prop of free.filter((one) => one.type === 'boolean' || one.type === 'enum')) {
        const lists = await maker.options(kind);
        for (const { value } of lists[prop.name] as { value: string }[]) {
          const answer = await put({ [prop.name]: value });
          expect([prop.name, value, answer.status]).toEqual([prop.name, value, 200]);
          expect(String(propsOf(answer)[prop.name])).toBe(value);
          if (prop.type === 'boolean') expect(typeof propsOf(answer)[prop.name]).toBe('boolean');
        }
      }
    });

    it('demands the required props, by name', async () => {
      if (!creates) return;
      const body = await maker.body(kind);
      for (const prop of postable.filter((one) => one.required)) {
        const hasDefault = (prop.default ?? '') !== '' || owning.has(prop);
        if (!hasDefault)
          expect(fault(await call.post(base, without(body, prop.name)))).toEqual([422, 441, prop.name]);
        for (const empty of [null, '']) {
          const answer = await call.post(base, { ...body, [prop.name]: empty });
          expect([prop.name, empty, ...fault(answer)]).toEqual([prop.name, empty, 422, 441, prop.name]);
        }
      }
    });

    it('refuses values of the wrong type, by name, and stores nothing', async () => {
      const before = (await listAll(actor, base, [])).total;
      await same(async () => {
        for (const prop of postable) {
          const odd: unknown[] = wrongValues(prop).filter((value) => value !== '' || !prop.required);
          if (prop.format)
            odd.push(
              ...['no\u0001', ' ', '@', 'x'.repeat(9) + '\u200b'].filter((t) => !prop.format?.test(t)),
            );
          if (prop.options !== undefined) odd.push('not-listed');
          if (prop.relation?.type === 'parent') {
            const target = seeder.graph.get(prop.relation.kind);
            odd.push(
              ...seeder.graph
                .all()
                .filter((one) => one !== target)
                .slice(-2)
                .map((one) => seeder.publicId(one, '1')),
            );
          }
          for (const value of kind === richest ? odd : odd.slice(-4)) {
            const where = `${prop.name} = ${JSON.stringify(value)}`;
            const expected = [where, 422, 442, prop.name];
            if (editable.includes(prop))
              expect([where, ...fault(await put({ [prop.name]: value }))]).toEqual(expected);
            if (!creates || (value !== odd.at(-1) && editable.includes(prop))) continue;
            expect([where, ...fault(await maker.post(kind, { [prop.name]: value }))]).toEqual(expected);
          }
        }
      });
      expect((await listAll(actor, base, [])).total).toBe(before);
    });

    it('names the first of several faults in order of declaration, the others as warnings', async () => {
      for (const props of creates ? [postable, editable] : [editable]) {
        const wrong = props.filter((prop) => prop.type !== 'json');
        if (!wrong.length) continue;
        const body = Object.fromEntries([...wrong].reverse().map((prop) => [prop.name, { not: 'this' }]));
        const answer = await (props === postable ? maker.post(kind, body) : put(body));
        expect(fault(answer)).toEqual([422, 442, wrong[0]?.name]);
        expect(told(answer)).toEqual(wrong.slice(1).map((prop) => [442, prop.name]));
      }
    });

    it('ignores with a warning what is unknown (400) or not to be set (403)', async () => {
      const odd = ['nope', 'Id', 'constructor', 'toString', 'hasOwnProperty', ''];
      const fixedFor = (props: readonly PropDef[]) =>
        kind.props.filter((prop) => !props.includes(prop)).map((prop) => prop.name);
      const bodyOf = (fixed: readonly string[]) =>
        Object.fromEntries([...odd, ...fixed].map((name) => [name, 'v1']));
      const expected = (fixed: readonly string[]) =>
        [...odd.map((name) => [400, name]), ...fixed.map((name) => [403, name])].sort();
      await same(async () => {
        const fixed = fixedFor([...editable, ...kind.props.filter((prop) => prop.updateOnly)]);
        const answer = await put(bodyOf(fixed));
        expect([answer.status, told(answer).sort()]).toEqual([200, expected(fixed)]);
      });
      if (!creates) return;
      const fixed = fixedFor(postable);
      const answer = await maker.post(kind, bodyOf(fixed));
      expect([answer.text, answer.status, told(answer).sort()]).toEqual([answer.text, 201, expected(fixed)]);
      const given = propsOf(answer);
      for (const name of fixed) if (name in given) expect([name, given[name]]).not.toEqual([name, 'v1']);
    });

    it('refuses bodies that are no object of props', async () => {
      for (const body of ['[]', '1', '"x"', 'null', '{', '{"a":1}}', 'true']) {
        expect([body, ...fault(await put(body))]).toEqual([body, 400, 400, null]);
        if (creates) expect([body, ...fault(await call.post(base, body))]).toEqual([body, 400, 400, null]);
      }
      expect(fault(await put(undefined))).toEqual([422, 441, null]);
    });

    it('keeps unique values unique, and says which', async () => {
      if (!creates) return;
      for (const prop of postable.filter((one) => one.unique && !one.writeOnly && !isSpared(kind, one))) {
        const first = await maker.post(kind, { [prop.name]: await maker.value(kind, prop) });
        expect(first.status).toBe(201);
        const names = [prop.name, ...(prop.uniqueQualifiers ?? [])];
        const sameAs = Object.fromEntries(names.map((name) => [name, propsOf(first)[name]]));
        expect(fault(await maker.post(kind, sameAs))).toEqual([409, 409, prop.name]);
        const second = await maker.post(kind);
        const path = `${base}/${String(propsOf(second).id)}`;
        if (editable.includes(prop))
          expect(fault(await call.put(path, sameAs))).toEqual([409, 409, prop.name]);
        expect((await call.get(path)).body).toEqual({ props: propsOf(second) });
        for (const qualifier of prop.uniqueQualifiers ?? []) {
          const def = kind.byName.get(qualifier);
          const another = def?.enums?.find((value) => value !== sameAs[qualifier]);
          if (another === undefined || (def && isRuled(kind, def))) continue;
          expect((await maker.post(kind, { ...sameAs, [qualifier]: another })).status).toBe(201);
        }
        if (!prop.uniqueCaseInsensitive || isRuled(kind, prop)) continue;
        const shouted = String(sameAs[prop.name]).toUpperCase();
        expect(fault(await maker.post(kind, { [prop.name]: shouted }))).toEqual([409, 409, prop.name]);
      }
    });

    it('lets a relation name a parent of one’s own alone', async () => {
      const now = await world(true);
      for (const prop of editable) {
        if (prop.relation?.type !== 'parent' || hasFiles(prop)) continue;
        const { skipOwnerCheck } = prop.relation;
        const parentKind = seeder.graph.get(prop.relation.kind);
        const foreign = now.all(parentKind).find((record) => !owns(now, actor, record));
        const absent = seeder.publicId(parentKind, '9000000000001');
        if (skipOwnerCheck) {
          expect(fault(await put({ [prop.name]: absent }))).toEqual([422, 442, prop.name]);
          continue;
        }
        await same(async () => {
          const told = foreign ? fault(await put({ [prop.name]: foreign.id })) : null;
          if (foreign) expect(told).toEqual([403, 403, prop.name]);
          // Whether there is such a record is not told.
          if (foreign) expect(fault(await put({ [prop.name]: absent }))).toEqual(told);
          if (foreign && creates)
            expect(fault(await maker.post(kind, { [prop.name]: foreign.id }))).toEqual(told);
        });
      }
    });
  });

  describe('lists', () => {
    beforeAll(() => world(true));

    const check = async (params: Params, who: Actor = actor): Promise<string[]> => {
      const expected = expectList(await world(), kind, who, params);
      const where = `${who.name} ${query(params)}`;
      if (expected.status !== 200) {
        const answer = await who.call.get(`${base}?${query(params)}`);
        expect([where, answer.status]).toEqual([where, expected.status]);
        return [];
      }
      const { ids, total } = await listAll(who, base, params);
      expect([where, ids]).toEqual([where, expected.ids]);
      expect([where, total]).toEqual([where, expected.ids.length]);
      return ids;
    };
    /** Two different values of a prop that are there, as texts. */
    const valuesOf = async (prop: PropDef): Promise<string[]> => {
      const all = (await items([['sortBy', prop.name]])).map(({ props }) => props[prop.name]);
      const texts = [
        ...new Set(all.filter((value) => value !== null && value !== undefined && value !== '').map(String)),
      ];
      return texts.filter((text) => text !== 'null' && !/^[<>!]/.test(text) && text.length < 300);
    };

    it('holds every record that there is, oldest first', async () => {
      const ids = await check([]);
      expect(ids).toContain(shared);
      if (!isScarce(kind)) expect(ids.length).toBeGreaterThan(3);
      const first = (await call.get(`${base}?includeMeta=false`)).body;
      const [item] = first.items as Json[];
      expect((await call.get(`${base}/${String((item?.props as Json).id)}`)).body).toEqual(item);
      expect(Object.keys(first).sort()).toEqual(['items', 'paging']);
      expect(Object.keys(first.paging as Json)).toEqual([
        'page',
        'nextPage',
        'previousPage',
        'itemsPerPage',
        'totalItems',
        'totalPages',
      ]);
    });

    for (const prop of kind.props.filter((one) => one.filterQualifier)) {
      it(`qualifies by ${prop.name}`, async () => {
        if (!couldSeeProp(kind, actor, prop)) {
          expect(fault(await call.get(`${base}?${prop.name}=x`))).toEqual([403, 403, prop.name]);
          return;
        }
        const [a = '', b = a, c = b] = await valuesOf(prop);
        expect(a).not.toBe('');
        const middle = c;
        const signs = ['int', 'date', 'string'].includes(prop.type) ? ['>', '>=', '<', '<='] : [];
        const hits = await check([[prop.name, a]]);
        expect(hits.length).toBeGreaterThan(0);
        for (const sign of ['', '<>', '!=', ...signs]) {
          for (const value of candidates([middle, a])) await check([[prop.name, sign + value]]);
        }
        await check([[prop.name, 'null']]);
        await check([[prop.name, '!=null']]);
        await check([[prop.name, '<>null']]);
        await check([
          [prop.name, a],
          [prop.name, b],
        ]);
        await check([
          [prop.name, a],
          [prop.name, 'null'],
          [prop.name, ''],
        ]);
        await check([
          [prop.name, ''],
          ['sortOrder', 'desc'],
        ]);
        for (const bare of candidates(['>', '!=', '<=']))
          expect((await call.get(`${base}?${prop.name}=${bare}`)).status).toBe(200);
        if (!signs.length) {
          for (const sign of candidates(['>', '>=', '<', '<='])) {
            const answer = await call.get(`${base}?${query([[prop.name, sign + a]])}`);
            expect([sign, ...fault(answer)]).toEqual([sign, 422, 442, prop.name]);
          }
        }
        expect(fault(await call.get(`${base}?${prop.name}=>null`))).toEqual([422, 442, prop.name]);
        if (prop.type === 'string') return;
        for (const odd of candidates(['nope', '1.5', '0x1', "' OR 1=1", '99999999999999999999', '-'])) {
          expect(fault(await call.get(`${base}?${query([[prop.name, odd]])}`))).toEqual([
            422,
            442,
            prop.name,
          ]);
        }
      });
    }

    for (const prop of kind.props.filter((one) => one.allowRealPubicId)) {
      it(`qualifies by the integer of ${prop.name}`, async () => {
        const [record] = await items([[prop.name, '!=null']]);
        const target = seeder.graph.get(prop.relation?.kind ?? kind.kind);
        const id = String(record?.props[prop.name]);
        const byNumber = await listAll(actor, base, [[prop.name, seeder.rowId(target, id)]]);
        expect(byNumber).toEqual(await listAll(actor, base, [[prop.name, id]]));
        expect(byNumber.ids).toContain(record?.props.id);
      });
    }

    it('takes the integers of other ids for no ids', async () => {
      for (const prop of kind.props) {
        if (prop.type !== 'id' || prop.allowRealPubicId || !prop.filterQualifier) continue;
        if (!couldSeeProp(kind, actor, prop)) continue;
        expect(fault(await call.get(`${base}?${prop.name}=1`))).toEqual([422, 442, prop.name]);
      }
    });

    for (const prop of kind.props.filter((one) => one.filterRange)) {
      it(`ranges over ${prop.name}, bounds included`, async () => {
        const [from, to] = [`_start_${prop.name}`, `_end_${prop.name}`];
        if (!couldSeeProp(kind, actor, prop)) {
          expect(fault(await call.get(`${base}?${from}=1`))).toEqual([403, 403, prop.name]);
          expect(fault(await call.get(`${base}?${to}=1`))).toEqual([403, 403, prop.name]);
          return;
        }
        const [a = '', b = a, c = b] = await valuesOf(prop);
        expect(a).not.toBe('');
        const [low = '', high = ''] = prop.type === 'int' ? [a, c].sort((x, y) => +x - +y) : [a, c].sort();
        const both = await check([
          [from, low],
          [to, high],
        ]);
        expect(both.length).toBeGreaterThan(0);
        // The base props are the same on all kinds.
        if (kind !== richest && BASE.includes(prop.name)) return;
        await check([[from, high]]);
        await check([[to, low]]);
        await check([
          [from, low],
          [to, low],
        ]);
        if (low !== high)
          expect(
            await check([
              [from, high],
              [to, low],
            ]),
          ).toEqual([]);
        await check([
          [from, ''],
          [to, ''],
        ]);
        for (const odd of candidates(['nope', 'null', '>1', '2026-13-01'])) {
          expect(fault(await call.get(`${base}?${from}=${odd}`))).toEqual([422, 442, from]);
          expect(fault(await call.get(`${base}?${to}=${odd}`))).toEqual([422, 442, to]);
        }
        expect(fault(await call.get(`${base}?${from}=${low}&${from}=${high}`))).toEqual([422, 442, from]);
        if (prop.type !== 'date') return;
        const shifted = new Date(Date.parse(low) + 2 * 3_600_000).toISOString().replace('Z', '+02:00');
        expect((await listAll(actor, base, [[from, shifted]])).ids).toEqual(
          (await listAll(actor, base, [[from, low]])).ids,
        );
        const day = low.slice(0, 10);
        expect((await listAll(actor, base, [[to, day]])).ids).toEqual(
          (await listAll(actor, base, [[to, `${day}T00:00:00.000Z`]])).ids,
        );
      });
    }

    for (const prop of kind.props.filter((one) => one.filterQuery)) {
      it(`searches ${prop.name}`, async () => {
        const now = await world();
        const mine = now.all(kind).filter((record) => owns(now, actor, record) && record.props[prop.name]);
        const [one, two] = mine;
        if (isScarce(kind) && !two) return;
        if (!one || !two) throw new Error('too few records');
        const odd = 'pre a%b_c\\d Ärger Straße ÉTÉ';
        if (prop.type === 'string' && !prop.format && !prop.options && (prop.length ?? 0) > odd.length) {
          await seeder.set(one, prop, odd);
          await seeder.set(two, prop, 'pre aXbYcZd');
          await world(true);
          const plain = ['%b_c', 'a%b', 'b_c', 'c\\d', 'A%B_C\\D'];
          for (const text of [...plain, '%', '_', '\\', 'ärger', 'ÄRGER', 'STRA', 'été']) {
            const ids = await check([['search', text]]);
            const found = couldSeeProp(kind, actor, prop);
            expect([text, ids.includes(one.id)]).toEqual([text, found]);
            if (plain.includes(text)) expect([text, ids.includes(two.id)]).toEqual([text, false]);
          }
          await seeder.set(one, prop, one.props[prop.name]);
          await seeder.set(two, prop, two.props[prop.name]);
          await world(true);
        }
        const text = String(one.props[prop.name]);
        for (const part of [text, text.toUpperCase(), text.slice(1, 5), text.slice(-3)]) {
          const ids = await check([['search', part]]);
          if (couldSeeProp(kind, actor, prop)) expect([part, ids.includes(one.id)]).toEqual([part, true]);
        }
        await check([
          ['search', text],
          ['search', String(two.props[prop.name])],
        ]);
        expect(await check([['search', `${text} but not this`]])).toEqual([]);
      });
    }

    it('searches nothing where nothing can be searched, with a warning', async () => {
      const searched = kind.props.some((prop) => prop.filterQuery && couldSeeProp(kind, actor, prop));
      const { body } = await call.get(`${base}?search=a`);
      expect(body.warnings).toEqual(
        searched ? undefined : [{ code: 403, message: expect.any(String), data: 'search' }],
      );
      if (!searched) expect([body.items, (body.paging as Json).totalItems]).toEqual([[], 0]);
      expect((await listAll(actor, base, [['search', '']])).total).toBe(
        (await listAll(actor, base, [])).total,
      );
      expect(fault(await call.get(`${base}?search=${'x'.repeat(257)}`))).toEqual([422, 442, 'search']);
      expect((await call.get(`${base}?search=${'x'.repeat(256)}`)).status).toBe(200);
    });

    it('sorts by every prop that has an order, ids deciding, nulls last going up', async () => {
      for (const prop of kind.props) {
        for (const order of ['asc', 'desc']) {
          const params: Params = [
            ['sortBy', prop.name],
            ['sortOrder', order],
          ];
          if (prop.type === 'json' || prop.type === 'virtual' || prop.writeOnly) {
            expect(fault(await call.get(`${base}?${query(params)}`))).toEqual([422, 442, 'sortBy']);
          } else if (couldSeeProp(kind, actor, prop)) {
            await check(params);
          } else {
            expect(fault(await call.get(`${base}?${query(params)}`))).toEqual([403, 403, prop.name]);
          }
        }
      }
      await check([['sortOrder', 'desc']]);
    });

    it('joins filters by and', async () => {
      const props = kind.props.filter((prop) => prop.filterQualifier && couldSeeProp(kind, actor, prop));
      const params: [string, string][] = [];
      for (const prop of props.slice(0, 3)) {
        const [value] = await valuesOf(prop);
        if (value !== undefined) params.push([prop.name, `!=${value}`]);
      }
      await check([
        ...params,
        ['_start_createdAt', '2026-01-02'],
        ['sortBy', 'updatedAt'],
        ['sortOrder', 'desc'],
      ]);
    });

    it('answers 442, by name, to what is out of bounds', async () => {
      const wrong: Record<string, string[]> = {
        itemsPerPage: ['0', '101', '-1', '1.5', 'ten', '1e1', ' 1', ''],
        page: ['0', '1000001', '-1', 'x', '+1'],
        maxItems: ['0', '100000000001', '-5', 'all'],
        sortOrder: ['up', 'ASC', ''],
        sortBy: ['nope', '', 'ID', 'createdAt,id', 'id; DROP TABLE users', 'constructor'],
        includeMeta: ['1', 'yes', 'TRUE'],
        includeLinks: ['x'],
        includeOptions: ['x'],
        includeRelated: ['nope', ...[...kind.children.keys()].slice(0, 1)],
        includeExtra: ['nope'],
      };
      for (const [name, values] of Object.entries(wrong)) {
        for (const value of candidates(values)) {
          const answer = await call.get(`${base}?${query([[name, value]])}`);
          expect([name, value, ...fault(answer)]).toEqual([name, value, 422, 442, name]);
        }
        if (name.startsWith('include')) {
          const value = wrong[name]?.[0] ?? '';
          expect(fault(await call.get(`${self()}?${query([[name, value]])}`))).toEqual([422, 442, name]);
        }
      }
      expect(fault(await call.get(`${base}?page=1&page=2`))).toEqual([422, 442, 'page']);
      for (const good of [
        'itemsPerPage=1',
        'itemsPerPage=100',
        'page=1000000',
        'maxItems=100000000000',
        'maxItems=1',
      ]) {
        expect([good, (await call.get(`${base}?${good}`)).status]).toEqual([good, 200]);
      }
    });

    it('warns of parameters that nobody knows', async () => {
      const unknown = kind.props
        .filter((prop) => !prop.filterQualifier)
        .map((prop) => prop.name)
        .concat(
          kind.props.filter((prop) => !prop.filterRange).map((prop) => `_start_${prop.name}`),
          'nope',
          '__proto__',
          'Page',
        );
      const expected = unknown.map((data) => ({ code: 400, message: expect.any(String), data }));
      const params = query(unknown.map((name) => [name, '1'] as const));
      const list = await call.get(`${base}?${params}`);
      expect([list.status, list.body.warnings]).toEqual([200, expected]);
      expect((list.body.paging as Json).totalItems).toBe((await listAll(actor, base, [])).total);
      const read = await call.get(`${self()}?nope=1&page=2&search=x`);
      expect([read.status, told(read)]).toEqual([
        200,
        [
          [400, 'nope'],
          [400, 'page'],
          [400, 'search'],
        ],
      ]);
    });
  });

  describe('includes', () => {
    const record = async (params: string, id = shared): Promise<[Json, Json]> => {
      const read = await call.get(`${base}/${id}?${params}`);
      expect([read.text, read.status]).toEqual([read.text, 200]);
      for (let page = 1; ; page++) {
        const list = await call.get(`${base}?${params}&itemsPerPage=100&page=${page}&sortOrder=desc`);
        expect(list.status).toBe(200);
        const item = (list.body.items as Json[]).find((one) => (one.props as Json).id === id);
        if (item) return [read.body, item];
        if (page >= Number((list.body.paging as Json).totalPages)) throw new Error(`${id} is in no page`);
      }
    };

    it('has meta when asked', async () => {
      for (const { meta } of await record('includeMeta=true')) {
        expect(meta).toMatchObject({ kind: kind.kind, isOwner: true });
        const allows = kind.byName.get('id')?.allowRealPubicId === true;
        expect((meta as Json).realId).toBe(allows ? Number(seeder.rowId(kind, shared)) : undefined);
        expect(meta).not.toHaveProperty('deleted');
      }
      for (const one of await record('includeMeta=false')) expect(Object.keys(one)).toEqual(['props']);
    });

    it('has links that lead where they say', async () => {
      const names = ['base', 'self', ...kind.parents.keys(), ...kind.children.keys()];
      for (const who of [actor, other, anonymous]) {
        const list = await who.call.get(`${base}?includeLinks=true`);
        if (list.status !== 200) continue;
        for (const item of (list.body.items as Json[]).slice(0, 3)) {
          const links = item.links as Record<string, { href: string; methods: string[]; usage: string }>;
          const id = String((item.props as Json).id);
          expect(Object.keys(links)).toEqual(expect.arrayContaining(names));
          expect(links.base?.href).toBe(`/api/${version}${base}`);
          expect(links.self?.href).toBe(`/api/${version}${base}/${id}`);
          for (const name of names.slice(2))
            expect(links[name]?.href).toBe(`/api/${version}${base}/${id}/${name.toLowerCase()}`);
          expect(links.self?.methods).toContain('GET');
          for (const [name, link] of Object.entries(links)) {
            expect([name, ['rest', 'page', 'file', 'image'].includes(link.usage)]).toEqual([name, true]);
            if (link.usage !== 'rest') continue;
            if (!names.includes(name)) continue;
            const answer = await who.call.get('/' + link.href.split('/').slice(3).join('/'));
            const ways = link.methods.includes('GET') ? [200, 404] : [401, 403];
            expect([who.name, link.href, ways.includes(answer.status), answer.status]).toEqual([
              who.name,
              link.href,
              true,
              answer.status,
            ]);
            if (name === 'base' || name === 'self') continue;
            if (kind.children.has(name) && link.methods.includes('GET'))
              expect(answer.body).toHaveProperty('paging');
          }
        }
      }
      const [read, item] = await record('includeLinks=true');
      expect(read.links).toEqual(item.links);
    });

    it('has related records as their own path answers them', async () => {
      const all = [...kind.parents.keys()];
      for (const name of all) {
        for (const one of await record(`includeRelated=${name}`)) {
          const direct = await call.get(`${self()}/${name.toLowerCase()}`);
          const related = (one.related as Json)[name] as Json | null;
          expect(Object.keys(one.related as Json)).toEqual([name]);
          if (direct.status === 404) expect(related).toBeNull();
          else expect(related).toEqual({ props: propsOf(direct) });
        }
      }
      if (all.length < 2) return;
      const repeated = all.map((name) => `includeRelated=${name}`).join('&');
      const [comma] = await record(`includeRelated=${all.join(',')}`);
      expect(Object.keys(comma.related as Json)).toEqual(all);
      expect((await record(repeated))[0]).toEqual(comma);
    });

    it('has a null for a parent that is not there, and 404 at its path', async () => {
      for (const [name, { prop }] of kind.readOnly || !writes ? [] : kind.parents) {
        if (
          prop.required ||
          owning.has(prop) ||
          inheritingProps(kind).includes(prop) ||
          !editable.includes(prop)
        )
          continue;
        const id = await maker.create(kind);
        expect((await call.put(`${base}/${id}`, { [prop.name]: null })).status).toBe(200);
        const [read, item] = await record(`includeRelated=${name}`, id);
        expect([(read.related as Json)[name], (item.related as Json)[name]]).toEqual([null, null]);
        expect(read.warnings).toBeUndefined();
        expect(fault(await call.get(`${base}/${id}/${name.toLowerCase()}`))).toEqual([404, 404, null]);
      }
    });

    it('has option lists, as labels and texts', async () => {
      const lists = await maker.options(kind);
      const expected = kind.props.filter(
        (prop) => (prop.enums ?? prop.options) !== undefined || hasFiles(prop),
      );
      const shown = expected.filter((prop) => couldSeeProp(kind, actor, prop)).map((prop) => prop.name);
      expect(Object.keys(lists)).toEqual(shown);
      for (const prop of expected) {
        const list = lists[prop.name] as Json[] | undefined;
        for (const option of list ?? []) {
          expect(Object.keys(option).sort()).toEqual(['label', 'value']);
          expect([typeof option.label, typeof option.value]).toEqual(['string', 'string']);
        }
        if (!list || !prop.enums || prop.options !== undefined) continue;
        expect(list).toEqual(
          prop.enums.map((value, i) => ({ label: prop.enumLabels?.[i], value: String(value) })),
        );
      }
      for (const one of await record('includeOptions=true')) expect(one.options).toEqual(lists);
    });

    it('has the extras that the service offers', async () => {
      const names = [...engine.service(kind).extras.keys()];
      if (!names.length) return;
      for (const one of await record(`includeExtra=${names.join(',')}`)) {
        expect(Object.keys(one.extras as Json)).toEqual(names);
      }
    });

    it('answers them on create and update as well', async () => {
      const all = `includeMeta=true&includeLinks=true&includeOptions=true&includeRelated=${[...kind.parents.keys()].join()}`;
      const [read] = await record(all);
      const updated = await call.put(`${self()}?${all}`, {});
      if (!kind.readOnly && writes) expect([updated.status, updated.body]).toEqual([200, read]);
      if (!creates) return;
      const created = await call.post(`${base}?${all}`, await maker.body(kind));
      const [again] = await record(all, String(propsOf(created).id));
      expect(without(created.body, 'meta')).toEqual(without(again, 'meta'));
      expect(created.body.meta).toMatchObject(again.meta as Json);
    });
  });

  whereWritten('delete', () => {
    it('answers the record as it was, with meta.deleted when asked, and then 404', async () => {
      for (const asked of [true, false]) {
        const path = `${base}/${await maker.create(kind)}`;
        const before = await call.get(`${path}?includeMeta=${asked}&includeLinks=true`);
        const { total } = await listAll(actor, base, []);
        const gone = await call.delete(`${path}?includeMeta=${asked}&includeLinks=true`);
        expect(gone.status).toBe(200);
        expect(without(gone.body, 'meta')).toEqual(without(before.body, 'meta'));
        expect(gone.body.meta).toEqual(asked ? { ...(before.body.meta as Json), deleted: true } : undefined);
        for (const method of ['GET', 'PUT', 'DELETE']) {
          const answer = await call.send(method, path, method === 'PUT' ? { body: {} } : {});
          expect([method, ...fault(answer)]).toEqual([method, 404, 404, null]);
        }
        for (const name of [...kind.parents.keys(), ...kind.children.keys()]) {
          expect((await call.get(`${path}/${name.toLowerCase()}`)).status).toBe(404);
        }
        expect((await listAll(actor, base, [])).total).toBe(total - 1);
      }
    });

    it('is for owners alone', async () => {
      const path = `${base}/${await maker.create(kind)}`;
      expect([401, 404]).toContain((await anonymous.call.delete(path)).status);
      expect([401, 404]).toContain((await anonymous.call.put(path, {})).status);
      expect([403, 404]).toContain((await other.call.delete(path)).status);
      expect((await call.get(path)).status).toBe(200);
    });

    it('does with the records that point here what their declarations say', async () => {
      for (const child of seeder.kinds) {
        for (const { prop, relation, kind: target } of child.parents.values()) {
          if (target !== kind || kind === seeder.graph.userKind || hasFiles(prop)) continue;
          const parent = await maker.create(kind);
          const childMaker = factories.get(chief);
          if (isScarce(child)) await seeder.clear(child, chief.id);
          const row: Record<string, unknown> = { ...(await childMaker?.row(child)), [prop.name]: parent };
          for (const one of ownerProps(child)) row[one.name] = chief.id;
          const id = await seeder.insert(child, row);
          const answer = await call.delete(`${base}/${parent}`);
          const now = await seeder.world();
          const where = `${child.kind}.${prop.name} ${relation.onDelete}`;
          expect([where, answer.status]).toEqual([where, relation.onDelete === 'restrict' ? 409 : 200]);
          expect([where, now.get(parent) !== null]).toEqual([where, relation.onDelete === 'restrict']);
          const left = now.get(id);
          if (relation.onDelete === 'cascade') expect([where, left]).toEqual([where, null]);
          if (relation.onDelete === 'null') expect([where, left?.props[prop.name]]).toEqual([where, null]);
          if (relation.onDelete === 'restrict')
            expect([where, left?.props[prop.name]]).toEqual([where, parent]);
        }
      }
    });
  });
});

describe('the suite itself', () => {
  it('walks every kind with standard routes and meets every prop type', () => {
    expect(firstSeeder.kinds.map((kind) => kind.kind)).toEqual(
      expect.arrayContaining([
        'User',
        'APIKey',
        'DummyThing',
        'DummyItem',
        'DummyInvoice',
        'DummyLineItem',
        'DummyRemark',
        'DummyTopic',
      ]),
    );
    const types = new Set(firstSeeder.kinds.flatMap((kind) => kind.props.map((prop) => prop.type)));
    expect([...types].sort()).toEqual(['boolean', 'date', 'enum', 'id', 'int', 'json', 'string', 'virtual']);
  });
});
