import { BASE_PROPS, inheritingProps, isScarce } from '../support/values.js';
import { query, codedWarnings, without, listAll, richest, walked, walkOf, firstSeeder } from './walk.js';
import { propsOf, refusal } from '../support/answers.js';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type PropDef } from '../../src/record/schema/prop.js';
import type { Json } from '../support/client.js';
import {
  type Actor,
  couldSeeProp,
  expectedList,
  owns,
  type Params,
  seesProp,
  seesRow,
} from '../support/reference-model.js';

/* Every kind: lists and includes hold what the declaration says. */

describe.each(walked)('$name', (walked) => {
  const {
    kind,
    seeder,
    version,
    other,
    anonymous,
    snapshot: snapshot,
    actor,
    maker,
    call,
    base,
    changes,
    creates,
    owning,
    editable,
    hasFiles,
    candidates,
    shared,
    self,
    items,
    seenOn,
    engine,
  } = walkOf(walked);

  describe('lists', () => {
    beforeAll(() => snapshot(true));

    const check = async (params: Params, who: Actor = actor): Promise<string[]> => {
      const expected = expectedList(await snapshot(), kind, who, params);
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
    /** Whether the maker sees a value of the prop on some record: it may be in no group that does. */
    const isSeen = async (prop: PropDef): Promise<boolean> => {
      const now = await snapshot();
      return now
        .all(kind)
        .some(
          (record) =>
            record.props[prop.name] !== null &&
            seesRow(now, actor, record) &&
            seesProp(now, actor, record, prop),
        );
    };
    /** The different values of a prop, as texts: those that the maker sees, or hidden ones, by which it must find nothing. */
    const valuesOf = async (prop: PropDef): Promise<string[]> => {
      const all = (await isSeen(prop))
        ? (await items([['sortBy', prop.name]])).map(({ props }) => props[prop.name])
        : (await snapshot()).all(kind).map(({ props }) => props[prop.name]);
      const texts = [
        ...new Set(all.filter((value) => value !== null && value !== undefined && value !== '').map(String)),
      ];
      return texts.filter((text) => text !== 'null' && !/^[<>!]/.test(text) && text.length < 300);
    };

    it('holds every record that there is, oldest first', async () => {
      const ids = await check([]);
      expect(ids).toContain(shared.id);
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
      it(`filters by ${prop.name}`, async () => {
        if (!couldSeeProp(kind, actor, prop)) {
          expect(refusal(await call.get(`${base}?${prop.name}=x`))).toEqual([403, 403, prop.name]);
          return;
        }
        const [a = '', b = a, c = b] = await valuesOf(prop);
        expect(a).not.toBe('');
        const middle = c;
        const signs = ['int', 'date', 'string'].includes(prop.type) ? ['>', '>=', '<', '<='] : [];
        const hits = await check([[prop.name, a]]);
        expect(hits.length > 0).toBe(await isSeen(prop));
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
            expect([sign, ...refusal(answer)]).toEqual([sign, 422, 442, prop.name]);
          }
        }
        expect(refusal(await call.get(`${base}?${prop.name}=>null`))).toEqual([422, 442, prop.name]);
        if (prop.type === 'string') return;
        for (const odd of candidates(['nope', '1.5', '0x1', "' OR 1=1", '99999999999999999999', '-'])) {
          expect(refusal(await call.get(`${base}?${query([[prop.name, odd]])}`))).toEqual([
            422,
            442,
            prop.name,
          ]);
        }
      });
    }

    for (const prop of kind.props.filter((one) => one.allowRealPubicId)) {
      it(`filters by the integer of ${prop.name}`, async () => {
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
        expect(refusal(await call.get(`${base}?${prop.name}=1`))).toEqual([422, 442, prop.name]);
      }
    });

    for (const prop of kind.props.filter((one) => one.filterRange)) {
      it(`filters by ranges of ${prop.name}, bounds included`, async () => {
        const [from, to] = [`_start_${prop.name}`, `_end_${prop.name}`];
        if (!couldSeeProp(kind, actor, prop)) {
          expect(refusal(await call.get(`${base}?${from}=1`))).toEqual([403, 403, prop.name]);
          expect(refusal(await call.get(`${base}?${to}=1`))).toEqual([403, 403, prop.name]);
          return;
        }
        const [a = '', b = a, c = b] = await valuesOf(prop);
        expect(a).not.toBe('');
        const [low = '', high = ''] = prop.type === 'int' ? [a, c].sort((x, y) => +x - +y) : [a, c].sort();
        const both = await check([
          [from, low],
          [to, high],
        ]);
        expect(both.length > 0).toBe(await isSeen(prop));
        // The base props are the same on all kinds.
        if (kind !== richest && BASE_PROPS.includes(prop.name)) return;
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
          expect(refusal(await call.get(`${base}?${from}=${odd}`))).toEqual([422, 442, from]);
          expect(refusal(await call.get(`${base}?${to}=${odd}`))).toEqual([422, 442, to]);
        }
        expect(refusal(await call.get(`${base}?${from}=${low}&${from}=${high}`))).toEqual([422, 442, from]);
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
        const now = await snapshot();
        const mine = now.all(kind).filter((record) => owns(now, actor, record) && record.props[prop.name]);
        const [one, two] = mine;
        if (isScarce(kind) && !two) return;
        if (!one || !two) throw new Error('too few records');
        const isFound = seesRow(now, actor, one) && seesProp(now, actor, one, prop);
        const odd = 'pre a%b_c\\d Ärger Straße ÉTÉ';
        if (prop.type === 'string' && !prop.format && !prop.options && (prop.length ?? 0) > odd.length) {
          await seeder.set(one, prop, odd);
          await seeder.set(two, prop, 'pre aXbYcZd');
          await snapshot(true);
          const plain = ['%b_c', 'a%b', 'b_c', 'c\\d', 'A%B_C\\D'];
          for (const text of [...plain, '%', '_', '\\', 'ärger', 'ÄRGER', 'STRA', 'été']) {
            const ids = await check([['search', text]]);
            expect([text, ids.includes(one.id)]).toEqual([text, isFound]);
            if (plain.includes(text)) expect([text, ids.includes(two.id)]).toEqual([text, false]);
          }
          await seeder.set(one, prop, one.props[prop.name]);
          await seeder.set(two, prop, two.props[prop.name]);
          await snapshot(true);
        }
        const text = String(one.props[prop.name]);
        for (const part of [text, text.toUpperCase(), text.slice(1, 5), text.slice(-3)]) {
          const ids = await check([['search', part]]);
          if (isFound) expect([part, ids.includes(one.id)]).toEqual([part, true]);
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
      expect(refusal(await call.get(`${base}?search=${'x'.repeat(257)}`))).toEqual([422, 442, 'search']);
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
            expect(refusal(await call.get(`${base}?${query(params)}`))).toEqual([422, 442, 'sortBy']);
          } else if (couldSeeProp(kind, actor, prop)) {
            await check(params);
          } else {
            expect(refusal(await call.get(`${base}?${query(params)}`))).toEqual([403, 403, prop.name]);
          }
        }
      }
      await check([['sortOrder', 'desc']]);
    });

    it('joins filters by “and”', async () => {
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

    it('answers 442, with the name of the parameter, to what is out of bounds', async () => {
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
          expect([name, value, ...refusal(answer)]).toEqual([name, value, 422, 442, name]);
        }
        if (name.startsWith('include')) {
          const value = wrong[name]?.[0] ?? '';
          expect(refusal(await call.get(`${self()}?${query([[name, value]])}`))).toEqual([422, 442, name]);
        }
      }
      expect(refusal(await call.get(`${base}?page=1&page=2`))).toEqual([422, 442, 'page']);
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
      expect([read.status, codedWarnings(read)]).toEqual([
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
    const record = async (params: string, id = shared.id): Promise<[Json, Json]> => {
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
        expect((meta as Json).realId).toBe(allows ? Number(seeder.rowId(kind, shared.id)) : undefined);
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
      for (const [name, { prop }] of changes ? kind.parents : []) {
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
        expect(refusal(await call.get(`${base}/${id}/${name.toLowerCase()}`))).toEqual([404, 404, null]);
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
      const seen = await seenOn();
      const here = expected
        .filter((prop) => seen.includes(prop))
        .map((prop): [string, unknown] => [prop.name, lists[prop.name]]);
      for (const one of await record('includeOptions=true'))
        expect(one.options).toEqual(Object.fromEntries(here));
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
      if (changes) expect([updated.status, updated.body]).toEqual([200, read]);
      if (!creates) return;
      const created = await call.post(`${base}?${all}`, await maker.body(kind));
      const [again] = await record(all, String(propsOf(created).id));
      expect(without(created.body, 'meta')).toEqual(without(again, 'meta'));
      expect(created.body.meta).toMatchObject(again.meta as Json);
    });
  });
});

describe('the walk itself', () => {
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
