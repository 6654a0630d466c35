import { ISO_DATE, errorOf, propsOf, refusal } from '../support/answers.js';
import {
  BASE_PROPS,
  inheritingProps,
  isRuled,
  isScarce,
  isScarceForAll,
  isSpared,
  isWritten,
  MAX_BODY,
  ownerProps,
  textOfLength,
  wrongValues,
} from '../support/values.js';
import { codedWarnings, without, listAll, richest, walked, walkOf } from './walk.js';
import { describe, expect, it } from '@jest/globals';
import { columnOf, type PropDef } from '../../src/record/schema/prop.js';
import type { Json } from '../support/client.js';
import { letsIn, mayChange, mayCreate, owns, writeStatus } from '../support/reference-model.js';

/* Every kind: records are made, read, changed and deleted as the declaration says. */

describe.each(walked)('$name', (walked) => {
  const {
    kind,
    service,
    seeder,
    other,
    anonymous,
    chief,
    factories,
    snapshot: snapshot,
    actor,
    maker,
    call,
    base,
    postable,
    creates,
    owning,
    editable,
    derived,
    harmless,
    free,
    stored,
    seenOn,
    hasFiles,
    shared,
    self,
    put,
    same,
    items,
    whereWritten,
    candidates,
  } = walkOf(walked);

  describe('create and read', () => {
    it('answers what was posted, and read answers the same', async () => {
      if (!creates) {
        if (!mayCreate(kind, actor)) expect(refusal(await call.post(base, {}))).toEqual([403, 403, null]);
        const [lacking] = isWritten(kind) && mayCreate(kind, actor) ? maker.lacking(kind) : [];
        if (lacking) expect(refusal(await maker.post(kind))).toEqual([422, 441, lacking.name]);
        return;
      }
      const body = await maker.body(kind);
      const created = await call.post(base, body);
      expect([created.status, created.body.warnings]).toEqual([201, undefined]);
      const props = propsOf(created);
      const seen = await seenOn(String(props.id));
      expect(Object.keys(props).sort()).toEqual(seen.map((prop) => prop.name).sort());
      for (const prop of seen)
        if (prop.name in body) expect([prop.name, props[prop.name]]).toEqual([prop.name, body[prop.name]]);
      for (const prop of owning) expect(props[prop.name]).toBe(actor.id);
      expect(props.id).toMatch(/^v[A-Za-z0-9]+$/);
      expect(props.createdAt).toMatch(ISO_DATE);
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
      for (const prop of await seenOn(String(propsOf(created).id))) {
        if (prop.name in given || BASE_PROPS.includes(prop.name) || owning.has(prop)) continue;
        // A hook may set what no body can.
        if (derived.includes(prop.name) || (prop.noSetAll && isRuled(kind, prop))) continue;
        expect([prop.name, propsOf(created)[prop.name]]).toEqual([prop.name, prop.default ?? null]);
      }
    });

    it('writes dates as UTC with milliseconds, ids, booleans and ints as such', async () => {
      for (const { props } of await items()) {
        for (const prop of kind.props) {
          const value = props[prop.name];
          if (value === null || value === undefined) continue;
          if (prop.type === 'date') expect(value).toMatch(ISO_DATE);
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
      const foreign = kinds.map((one) => seeder.publicId(one, seeder.rowId(kind, shared.id)));
      const strange = [
        '1',
        '0',
        '-1',
        'v',
        'null',
        'undefined',
        'vabc',
        `${shared.id}a`,
        shared.id.slice(0, -1),
        shared.id.slice(1),
      ];
      const altered = shared.id.slice(0, 9) + (shared.id[9] === 'a' ? 'b' : 'a') + shared.id.slice(10);
      const cased = shared.id.toLowerCase() === shared.id ? shared.id.toUpperCase() : shared.id.toLowerCase();
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
          expect([method, id, ...refusal(answer)]).toEqual([method, id, 404, 404, null]);
        }
      }
    });
  });

  if (!mayChange(kind, actor)) {
    it('is not for its owner to change', async () => {
      const { now, record } = await stored();
      // A hook may have put the owner in a group that may.
      if (!kind.readOnly && writeStatus(now, actor, record) === 200) return;
      await same(async () => {
        expect(refusal(await put({}))).toEqual([403, 403, null]);
        expect(refusal(await call.delete(self()))).toEqual([403, 403, null]);
      });
    });
  }

  if (isScarce(kind) && !isScarceForAll(kind) && maker.canPost(kind)) {
    it('takes the one record that there can be, and no second one', async () => {
      await seeder.clear(kind, actor.id);
      const made = await call.post(base, await maker.body(kind));
      expect([made.text, made.status]).toEqual([made.text, 201]);
      expect(refusal(await call.post(base, await maker.body(kind))).slice(0, 2)).toEqual([409, 409]);
      expect((await call.delete(`${base}/${String(propsOf(made).id)}`)).status).toBe(
        mayChange(kind, actor) ? 200 : 403,
      );
      shared.id = await maker.parent(kind);
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
          expect(refusal(await put({ [prop.name]: null }))).toEqual([422, 441, prop.name]);
          expect(refusal(await put({ [prop.name]: '' }))).toEqual([422, 441, prop.name]);
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
      expect(codedWarnings(answer)).toEqual([]);
    });

    it('holds to If-Match', async () => {
      const before = await call.get(self());
      const etag = String(before.headers.get('etag'));
      for (const tag of ['"x"', 'x', `W/${etag}`, '']) {
        const answer = await put({}, { 'if-match': tag });
        expect([tag, ...refusal(answer)]).toEqual([tag, 412, 412, null]);
      }
      expect(refusal(await call.delete(self(), { headers: { 'if-match': '"x"' } }))).toEqual([
        412,
        412,
        null,
      ]);
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
            expect(refusal(await put({ [prop.name]: text }))).toEqual([422, 442, prop.name]);
            if (creates)
              expect(refusal(await maker.post(kind, { [prop.name]: text }))).toEqual([422, 442, prop.name]);
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
          if ((await seenOn()).includes(prop)) expect(propsOf(answer)[prop.name]).toBe(value);
          const [row] = await service.sql<{ value: string }>(
            `SELECT "${columnOf(prop)}" AS value FROM "${kind.table}" WHERE id = $1`,
            [seeder.rowId(kind, shared.id)],
          );
          expect(row?.value).toBe(String(value));
        }
        await same(async () => {
          for (const value of [min - 1, max + 1, min - 0.5]) {
            expect(refusal(await put({ [prop.name]: value }))).toEqual([422, 442, prop.name]);
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
          expect(refusal(await maker.post(kind, { [prop.name]: value }))).toEqual([422, 442, prop.name]);
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
          expect(refusal(await call.post(base, without(body, prop.name)))).toEqual([422, 441, prop.name]);
        for (const empty of [null, '']) {
          const answer = await call.post(base, { ...body, [prop.name]: empty });
          expect([prop.name, empty, ...refusal(answer)]).toEqual([prop.name, empty, 422, 441, prop.name]);
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
              expect([where, ...refusal(await put({ [prop.name]: value }))]).toEqual(expected);
            if (!creates || (value !== odd.at(-1) && editable.includes(prop))) continue;
            expect([where, ...refusal(await maker.post(kind, { [prop.name]: value }))]).toEqual(expected);
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
        expect(refusal(answer)).toEqual([422, 442, wrong[0]?.name]);
        expect(codedWarnings(answer)).toEqual(wrong.slice(1).map((prop) => [442, prop.name]));
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
        const { now, record } = await stored();
        // A hook may have put the maker in a group of its record.
        const byGroup = kind.props.filter(
          (prop) => !prop.noSetAll && !prop.createOnly && letsIn(now, actor, record, prop.edit),
        );
        const updateOnly = kind.props.filter((prop) => prop.updateOnly);
        const fixed = fixedFor([...editable, ...updateOnly, ...byGroup]);
        const answer = await put(bodyOf(fixed));
        expect([answer.status, codedWarnings(answer).sort()]).toEqual([200, expected(fixed)]);
      });
      if (!creates) return;
      // What is for a group is known to be so only when the record is there.
      const forGroups = kind.props.filter((prop) => prop.edit.some((word) => word in kind.groups));
      const fixed = fixedFor([...postable, ...forGroups]);
      const answer = await maker.post(kind, bodyOf(fixed));
      expect([answer.text, answer.status, codedWarnings(answer).sort()]).toEqual([
        answer.text,
        201,
        expected(fixed),
      ]);
      const given = propsOf(answer);
      for (const name of fixed) if (name in given) expect([name, given[name]]).not.toEqual([name, 'v1']);
    });

    it('refuses bodies that are no object of props', async () => {
      for (const body of ['[]', '1', '"x"', 'null', '{', '{"a":1}}', 'true']) {
        expect([body, ...refusal(await put(body))]).toEqual([body, 400, 400, null]);
        if (creates) expect([body, ...refusal(await call.post(base, body))]).toEqual([body, 400, 400, null]);
      }
      expect(refusal(await put(undefined))).toEqual([422, 441, null]);
    });

    it('keeps unique values unique, and says which', async () => {
      if (!creates) return;
      for (const prop of postable.filter((one) => one.unique && !one.writeOnly && !isSpared(kind, one))) {
        const first = await maker.post(kind, { [prop.name]: await maker.value(kind, prop) });
        expect(first.status).toBe(201);
        const names = [prop.name, ...(prop.uniqueQualifiers ?? [])];
        const sameAs = Object.fromEntries(names.map((name) => [name, propsOf(first)[name]]));
        expect(refusal(await maker.post(kind, sameAs))).toEqual([409, 409, prop.name]);
        const second = await maker.post(kind);
        const path = `${base}/${String(propsOf(second).id)}`;
        if (editable.includes(prop))
          expect(refusal(await call.put(path, sameAs))).toEqual([409, 409, prop.name]);
        expect((await call.get(path)).body).toEqual({ props: propsOf(second) });
        for (const qualifier of prop.uniqueQualifiers ?? []) {
          const def = kind.byName.get(qualifier);
          const another = def?.enums?.find((value) => value !== sameAs[qualifier]);
          if (another === undefined || (def && isRuled(kind, def))) continue;
          expect((await maker.post(kind, { ...sameAs, [qualifier]: another })).status).toBe(201);
        }
        if (!prop.uniqueCaseInsensitive || isRuled(kind, prop)) continue;
        const shouted = String(sameAs[prop.name]).toUpperCase();
        expect(refusal(await maker.post(kind, { [prop.name]: shouted }))).toEqual([409, 409, prop.name]);
      }
    });

    it('lets a relation name a parent of one’s own alone', async () => {
      const now = await snapshot(true);
      for (const prop of editable) {
        if (prop.relation?.type !== 'parent' || hasFiles(prop)) continue;
        const { skipOwnerCheck, attach = [] } = prop.relation;
        const parentKind = seeder.graph.get(prop.relation.kind);
        const foreign = now
          .all(parentKind)
          .find((record) => !owns(now, actor, record) && !letsIn(now, actor, record, attach));
        const absent = seeder.publicId(parentKind, '9000000000001');
        if (skipOwnerCheck) {
          expect(refusal(await put({ [prop.name]: absent }))).toEqual([422, 442, prop.name]);
          continue;
        }
        await same(async () => {
          const told = foreign ? refusal(await put({ [prop.name]: foreign.id })) : null;
          if (foreign) expect(told).toEqual([403, 403, prop.name]);
          // Whether there is such a record is not told.
          if (foreign) expect(refusal(await put({ [prop.name]: absent }))).toEqual(told);
          if (foreign && creates)
            expect(refusal(await maker.post(kind, { [prop.name]: foreign.id }))).toEqual(told);
        });
      }
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
          expect([method, ...refusal(answer)]).toEqual([method, 404, 404, null]);
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
          const now = await seeder.snapshot();
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
