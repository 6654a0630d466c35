import { describe, expect, it } from '@jest/globals';
import { kindOf, registeredKinds } from './kind.js';
import type { KindOptions } from './kind-def.js';
import { Prop } from './prop.js';
import { RecordEntity } from '../record.entity.js';
import { complaint } from '../spec-support.js';
import { ALL, declare, PLAIN, parent } from './spec-support.js';

describe('@Kind', () => {
  it('freezes the declaration, with base props and defaults', () => {
    const def = declare({ owner: ['admin'] }, { name: PLAIN });
    expect(def).toMatchObject({ view: ['public'], create: [], generic: true, readOnly: false });
    expect(def.props.map((prop) => prop.name)).toEqual(['id', 'createdAt', 'updatedAt', 'name']);
    expect([
      Object.isFrozen(def),
      Object.isFrozen(def.props),
      def.props.every((prop) => Object.isFrozen(prop) || prop.name !== 'name'),
    ]).toEqual([true, true, true]);
    expect(registeredKinds()).toContain(def);
  });

  it('takes both spellings of allowRealPublicId, for the id and for parents', () => {
    const allowing = (name: string) => {
      const def = declare(
        { base: { id: { [name]: true } } },
        { userId: parent('user', 'User', { [name]: true }) },
      );
      return ['id', 'userId', 'createdAt'].map(
        (prop) => def.props.find((one) => one.name === prop)?.allowRealPubicId ?? false,
      );
    };
    expect(allowing('allowRealPubicId')).toEqual([true, true, false]);
    expect(allowing('allowRealPublicId')).toEqual([true, true, false]);
    expect(allowing('filterQualifier')).toEqual([false, false, false]);
  });

  it('does not register a kind whose declaration is wrong', () => {
    const count = registeredKinds().length;
    complaint(() => declare({ path: 'Not A Path' }));
    expect(registeredKinds()).toHaveLength(count);
    class Bare extends RecordEntity {}
    expect(complaint(() => kindOf(Bare))).toMatch(/Bare.*@Kind/s);
  });

  it('keeps the props of one class apart from those of another', () => {
    declare({}, { a: PLAIN });
    expect(declare({}, { b: PLAIN }).props.map((prop) => prop.name)).not.toContain('a');
  });

  it.each<[string, Partial<KindOptions>, RegExp]>([
    ['a small name', { kind: 'sample' }, /name must be letters and digits/],
    ['an empty name', { kind: '' }, /name must be letters/],
    ['a name with a blank', { kind: 'My Kind' }, /name must be letters/],
    ['a name that is too long', { kind: 'K'.repeat(41) }, /name must be/],
    ['a path with capitals', { path: 'Samples' }, /path "Samples" must be lower-case/],
    ['a path with a slash', { path: 'a/b' }, /path "a\/b" must be/],
    ['an empty path', { path: '' }, /path "" must be/],
    ['a path that breaks out of quotes', { path: 'a"b' }, /path "a"b" must be/],
    ['a path that is too long', { path: 'p'.repeat(33) }, /at most 32/],
    ['the path of a table of the service', { path: 'migrations' }, /"migrations" is the name of a table/],
    [
      'silence about its owners',
      { owner: undefined },
      /^Kind Sample: say who owns its records: owner: \["\$userId"\],.*\[\] for nobody\.$/,
    ],
    [
      'silence about who sees it',
      { view: undefined },
      /^Kind Sample: say who may see its records: view: \["public"\],.*\[\] for nobody\.$/,
    ],
    [
      'silence about who creates',
      { create: undefined },
      /^Kind Sample: say who may create records: create: \["owner"\].*\[\] for nobody\.$/,
    ],
    [
      'a view that is no list',
      { view: 'public' as never },
      /^Kind Sample: view must be a list; \[\] is nobody\.$/,
    ],
    [
      'a create that is no list',
      { create: null as never },
      /^Kind Sample: create must be a list; \[\] is nobody\.$/,
    ],
    ['a view entry that is no word', { view: ['$id'] }, /"\$id" is no entry of an access list/],
    ['a create entry that is no word', { create: ['Admin'] }, /"Admin" is no entry/],
    [
      'creation by owners that nobody can be',
      { owner: ['admin'], create: ['owner'] },
      /create lists "owner", but nobody can become one/,
    ],
  ])('refuses %s', (_, options, fix) => {
    const sentence = complaint(() => declare(options));
    expect(sentence).toMatch(fix);
    expect(sentence).toMatch(/^Kind .*: /);
    expect(sentence).not.toContain('\n');
  });

  it.each<[string, string, PropertyDecorator, RegExp]>([
    [
      'a former name that is none',
      'a',
      Prop.string({ length: 5, renamedFrom: 'a_b', view: [], edit: [] }),
      /renamedFrom must be the name of a prop/,
    ],
    [
      'a former name that is still in use',
      'a',
      Prop.string({ length: 5, renamedFrom: 'createdAt', view: [], edit: [] }),
      /renamedFrom names createdAt, which is still a prop/,
    ],
    ['a name with a capital', 'Name', PLAIN, /a prop name is a small letter/],
    ['a name with an underscore', 'a_b', PLAIN, /a prop name is/],
    ['a name that breaks out of quotes', 'a"b', PLAIN, /a prop name is/],
    ['a name that is too long', 'a'.repeat(29), PLAIN, /at most 2\d/],
    ['a name of the query string', 'page', PLAIN, /taken by the API/],
    ['another one', 'search', PLAIN, /taken by the API/],
    ['a name of every object', 'constructor', PLAIN, /taken by the API/],
    ['a word of the protocol', 'options', PLAIN, /taken by the API or by JavaScript/],
    ['a method of every object', 'toLocaleString', PLAIN, /by JavaScript/],
    ['what await would call', 'then', PLAIN, /by JavaScript/],
    ['a base prop again', 'createdAt', Prop.date(ALL), /declared twice/],
    [
      'a view entry that is no word',
      'a',
      Prop.string({ length: 1, view: ['^user'], edit: [] }),
      /"\^user" is no entry/,
    ],
    [
      'an edit entry that is no word',
      'a',
      Prop.string({ length: 1, view: [], edit: [''] }),
      /"" is no entry/,
    ],
    ['a string of length 0', 'a', Prop.string({ length: 0, ...ALL }), /length from 1 to 16777215/],
    ['a string of no whole length', 'a', Prop.string({ length: 1.5, ...ALL }), /length from 1/],
    ['a string beyond medium text', 'a', Prop.string({ length: 16_777_216, ...ALL }), /length from 1/],
    [
      'a unique string of more than 256',
      'a',
      Prop.string({ length: 257, unique: true, ...ALL }),
      /at most 256 characters can be unique/,
    ],
    [
      'a default that is too long',
      'a',
      Prop.string({ length: 2, default: 'abc', ...ALL }),
      /default is longer/,
    ],
    [
      'a visible writeOnly prop',
      'a',
      Prop.string({ length: 9, writeOnly: true, view: ['owner'], edit: ['owner'] }),
      /writeOnly prop is never stored/,
    ],
    [
      'a searched writeOnly prop',
      'a',
      Prop.string({ length: 9, writeOnly: true, filterQuery: true, view: [], edit: ['owner'] }),
      /writeOnly/,
    ],
    [
      'a unique writeOnly prop',
      'a',
      Prop.string({ length: 9, writeOnly: true, unique: true, view: [], edit: ['owner'] }),
      /writeOnly/,
    ],
    [
      'a filtered writeOnly prop',
      'a',
      Prop.string({ length: 9, writeOnly: true, filterQualifier: true, view: [], edit: ['owner'] }),
      /writeOnly/,
    ],
    ['an enum without values', 'a', Prop.enum({ enums: [], enumLabels: [], ...ALL }), /enums and enumLabels/],
    [
      'an enum with a label too few',
      'a',
      Prop.enum({ enums: ['x', 'y'], enumLabels: ['X'], ...ALL }),
      /equally long/,
    ],
    [
      'an enum with a value twice',
      'a',
      Prop.enum({ enums: ['x', 'x'], enumLabels: ['X', 'Y'], ...ALL }),
      /a value twice/,
    ],
    [
      'an enum value that is too long',
      'a',
      Prop.enum({ enums: ['x'.repeat(257)], enumLabels: ['X'], ...ALL }),
      /at most 256/,
    ],
    [
      'an enum default that is none',
      'a',
      Prop.enum({ enums: ['x'], enumLabels: ['X'], default: 'y', ...ALL }),
      /default "y" is not among enums/,
    ],
    [
      'a case-blind prop that is not unique',
      'a',
      Prop.string({ length: 9, uniqueCaseInsensitive: true, ...ALL }),
      /uniqueCaseInsensitive is for unique string/,
    ],
    [
      'qualifiers of nothing',
      'a',
      Prop.string({ length: 9, uniqueQualifiers: ['b'], ...ALL }),
      /needs unique: true/,
    ],
    [
      'a qualifier that is no prop',
      'a',
      Prop.string({ length: 9, unique: true, uniqueQualifiers: ['b'], ...ALL }),
      /names b, which must be a required prop/,
    ],
    [
      'a required parent that becomes null',
      'a',
      parent('b', 'User', { required: true, onDelete: 'null' }),
      /onDelete "null" needs an optional prop/,
    ],
    [
      'an example that can’t be posted',
      'a',
      Prop.string({ length: 3, example: 'four', ...ALL }),
      /the example can’t be posted: a may have at most 3 characters/,
    ],
    ['bounds the wrong way round', 'a', Prop.int({ min: 2, max: 1, ...ALL }), /min is above max/],
  ])('refuses %s', (_, name, decorate, fix) => {
    const sentence = complaint(() => declare({}, { [name]: decorate }));
    expect(sentence).toMatch(fix);
    expect(sentence.startsWith(`Kind Sample: prop ${name}`)).toBe(true);
    expect(sentence).not.toContain('\n');
  });

  it('refuses attributes on prop types that they are not for', () => {
    // The types of Prop.… forbid these; a declaration in plain JavaScript does not.
    const odd = (type: 'json' | 'int' | 'string' | 'boolean', more: object) =>
      (type === 'json'
        ? Prop.json
        : type === 'int'
          ? Prop.int
          : type === 'boolean'
            ? Prop.boolean
            : Prop.string)({
        ...ALL,
        length: 5,
        enumLabels: ['No', 'Yes'],
        ...more,
      });
    for (const [decorate, fix] of [
      [odd('int', { filterQuery: true }), /filterQuery is for string and enum/],
      [odd('json', { filterQuery: true }), /filterQuery is for/],
      [odd('json', { filterQualifier: true }), /filterQualifier is not for json/],
      [odd('string', { filterRange: true }), /filterRange is for int and date/],
      [odd('boolean', { filterRange: true }), /filterRange is for/],
      [odd('int', { autoUpdate: true }), /autoUpdate is for date/],
      [odd('int', { allowRealPubicId: true }), /allowRealPubicId is for id/],
      [
        odd('int', { unique: true, uniqueCaseInsensitive: true }),
        /uniqueCaseInsensitive is for unique string/,
      ],
      [odd('string', { length: undefined }), /a string needs a length/],
      [odd('boolean', { enumLabels: ['Yes'] }), /enums and enumLabels/],
    ] as const) {
      expect(complaint(() => declare({}, { a: decorate }))).toMatch(fix);
    }
  });

  it('refuses to ask about what nobody may see', () => {
    const nobody = { view: [], edit: [] };
    for (const [decorate, filter] of [
      [Prop.string({ length: 9, filterQuery: true, ...nobody }), 'filterQuery'],
      [Prop.string({ length: 9, filterQualifier: true, ...nobody }), 'filterQualifier'],
      [Prop.int({ filterRange: true, ...nobody }), 'filterRange'],
      [Prop.date({ filterQualifier: true, ...nobody, edit: ['owner'], noSetAll: true }), null], // who edits may see
    ] as const) {
      const said = () => declare({}, { a: decorate });
      if (filter === null) expect(said).not.toThrow();
      else
        expect(complaint(said)).toMatch(new RegExp(`prop a: ${filter} is for props that somebody may see`));
    }
  });

  it('refuses a prop that is called like the folded form of another', () => {
    const unique = Prop.string({ length: 9, unique: true, uniqueCaseInsensitive: true, ...ALL });
    expect(complaint(() => declare({}, { a: unique, aFolded: PLAIN }))).toMatch(
      /prop aFolded: .*folded form of a/,
    );
  });

  it('refuses enums in another Unicode form than bodies are taken in', () => {
    const decorate = Prop.enum({ enums: ['n\u0303'], enumLabels: ['N'], ...ALL });
    expect(complaint(() => declare({}, { a: decorate }))).toMatch(/Unicode form NFC/);
  });

  it('refuses an optional qualifier of a unique rule, since nulls are never equal', () => {
    const rule = Prop.string({ length: 9, unique: true, uniqueQualifiers: ['b'], ...ALL });
    expect(complaint(() => declare({}, { a: rule, b: PLAIN }))).toMatch(/prop a: .*names b.*required/);
    expect(() =>
      declare({}, { a: rule, b: Prop.string({ length: 9, required: true, ...ALL }) }),
    ).not.toThrow();
  });

  it('takes every limit at its edge', () => {
    const props = {
      a: Prop.string({ length: 1, ...ALL }),
      b: Prop.string({ length: 16_777_215, ...ALL }),
      c: Prop.string({ length: 256, unique: true, ...ALL }),
      d: Prop.int({ min: 1, max: 1, ...ALL }),
      e: Prop.string({ length: 3, default: 'abc', ...ALL }),
      f: Prop.enum({ enums: ['x'.repeat(256)], enumLabels: ['X'], ...ALL }),
      ['g'.repeat(27)]: PLAIN,
    };
    expect(() => declare({ kind: 'K'.repeat(40), path: 'p'.repeat(32) }, props)).not.toThrow();
  });
});
