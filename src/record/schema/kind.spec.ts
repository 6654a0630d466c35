import { describe, expect, it } from '@jest/globals';
import { Kind, kindOf, registeredKinds } from './kind.js';
import type { KindDef, KindOptions } from './kind-def.js';
import { KindGraph, relationAt, rolesOf, segmentOf } from './kind-graph.js';
import { Prop } from './prop.js';
import { RecordEntity } from '../record.entity.js';
import { complaint } from '../spec-support.js';

const ALL = { view: ['public'], edit: ['owner'] } as const;
const PLAIN = Prop.string({ length: 10, ...ALL });

/** Declares a kind as a class would. `props`: name → decorator. */
function declare(
  options: Partial<KindOptions>,
  props: Readonly<Record<string, PropertyDecorator>> = {},
): KindDef {
  class Sample extends RecordEntity {}
  for (const [name, decorate] of Object.entries(props)) decorate(Sample.prototype, name);
  Kind({ kind: 'Sample', path: 'samples', owner: [], view: ['public'], create: [], ...options })(Sample);
  return kindOf(Sample);
}

const role = (name: string) =>
  [name, Prop.boolean({ enumLabels: ['No', 'Yes'], view: ['owner'], edit: [] })] as const;
const user = (...more: string[]) =>
  declare(
    { kind: 'User', path: 'users', owner: ['$id', 'admin'], create: ['public'] },
    Object.fromEntries(['admin', 'developer', ...more].map(role)),
  );
const parent = (name: string, kind: string, more: object = {}) =>
  Prop.parent({ name, kind, onDelete: 'cascade', ...ALL, ...more });

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

describe('KindGraph.link', () => {
  const link = (...defs: KindDef[]) => KindGraph.link(defs, 'User');
  const kind = (name: string, options: Partial<KindOptions>, props: Record<string, PropertyDecorator> = {}) =>
    declare({ kind: name, path: `${name.toLowerCase()}s`, ...options }, props);

  it('finds parents, children, and the prop of the child that points back', () => {
    const a = kind(
      'A',
      { owner: ['admin'] },
      { parts: Prop.children({ name: 'manyParts', kind: 'B', view: ['public'] }) },
    );
    const b = kind('B', { owner: ['^whole'] }, { wholeId: parent('whole', 'A') });
    const graph = link(user(), a, b);
    const [linkedA, linkedB] = [graph.get('A'), graph.get('B')];
    expect(linkedB.parents.get('whole')).toMatchObject({ kind: { kind: 'A' }, prop: { name: 'wholeId' } });
    expect(linkedA.children.get('manyParts')).toMatchObject({
      kind: { kind: 'B' },
      foreignProp: { name: 'wholeId' },
    });
    expect(relationAt(linkedA, 'manyparts')).toBe(linkedA.children.get('manyParts'));
    expect(relationAt(linkedA, 'manyParts')).toBeNull();
    expect(segmentOf('avatarUsers')).toBe('avatarusers');
    expect(graph.all().map((one) => one.kind)).toEqual(['User', 'A', 'B']);
    expect(graph.userKind).toBe(graph.get('User'));
    expect(rolesOf(graph.userKind)).toEqual(['admin', 'developer']);
    expect(() => graph.get('C')).toThrow('No kind is called C.');
    expect(Object.isFrozen(linkedA)).toBe(true);
  });

  it.each(['public', 'owner'])('refuses a role that is called %s, a word of access lists', (word) => {
    expect(complaint(() => link(user(word)))).toMatch(
      new RegExp(`^Kind User: prop ${word}: a boolean of it is a role, and "${word}" means something else`),
    );
  });

  it.each<[string, () => KindDef[], RegExp]>([
    [
      'two kinds of one name',
      () => [kind('A', {}), kind('A', { path: 'others' })],
      /Kind A is declared twice/,
    ],
    [
      'two kinds at one path',
      () => [kind('A', { path: 'same' }), kind('B', { path: 'same' })],
      /Kinds A and B have the same path "same"/,
    ],
    [
      'a parent of no kind',
      () => [kind('A', {}, { xId: parent('x', 'Nope') })],
      /Kind A: prop xId: there is no kind Nope; import its module/,
    ],
    [
      'children of no kind',
      () => [kind('A', {}, { xs: Prop.children({ name: 'xs', kind: 'Nope', view: [] }) })],
      /Kind A: prop xs: there is no kind Nope/,
    ],
    [
      'children that do not point back',
      () => [kind('A', {}, { bs: Prop.children({ name: 'bs', kind: 'B', view: [] }) }), kind('B', {})],
      /Kind A: prop bs: B has no parent relation to A/,
    ],
    [
      'children that point back twice',
      () => [
        kind('A', {}, { bs: Prop.children({ name: 'bs', kind: 'B', view: [] }) }),
        kind('B', {}, { oneId: parent('one', 'A'), twoId: parent('two', 'A') }),
      ],
      /Kind A: prop bs: say which prop points here with via: oneId, twoId/,
    ],
    [
      'children by way of a prop that is none',
      () => [
        kind('A', {}, { bs: Prop.children({ name: 'bs', kind: 'B', via: 'nope', view: [] }) }),
        kind('B', {}, { oneId: parent('one', 'A') }),
      ],
      /Kind A: prop bs: B has no parent relation to A/,
    ],
    [
      'two relations of one name',
      () => [kind('A', {}, { xId: parent('x', 'User'), yId: parent('x', 'User') })],
      /Kind A: prop yId: the relation name x is taken/,
    ],
    [
      'two relations at one segment',
      () => [kind('A', {}, { xId: parent('myX', 'User'), yId: parent('myx', 'User') })],
      /Kind A: prop yId: the relation name myx is taken/,
    ],
    [
      'a relation named as a link',
      () => [kind('A', {}, { xId: parent('self', 'User') })],
      /prop xId: the relation name self is taken by a link/,
    ],
    [
      'a relation named as another link',
      () => [kind('A', {}, { xId: parent('base', 'User') })],
      /base is taken/,
    ],
    [
      'a relation name that is no word',
      () => [kind('A', {}, { xId: parent('my-x', 'User') })],
      /prop xId: the relation name "my-x" must be letters and digits/,
    ],
    [
      'a view word that is no role',
      () => [kind('A', { view: ['editor'] })],
      /Kind A: view names "editor", which is no role; roles are admin, developer/,
    ],
    [
      'a create word that is no role',
      () => [kind('A', { create: ['editor'] })],
      /Kind A: create names "editor"/,
    ],
    [
      'an owner word that is no role',
      () => [kind('A', { owner: ['editor'] })],
      /Kind A: owner names "editor"/,
    ],
    ['public owners', () => [kind('A', { owner: ['public'] })], /Kind A: owner names "public"/],
    ['owners as owners', () => [kind('A', { owner: ['owner'] })], /Kind A: owner names "owner"/],
    [
      'a prop that names no role',
      () => [kind('A', {}, { x: Prop.string({ length: 1, view: ['editor'], edit: [] }) })],
      /Kind A: prop x names "editor"/,
    ],
    [
      'a prop that no role may edit',
      () => [kind('A', {}, { x: Prop.string({ length: 1, view: [], edit: ['editor'] }) })],
      /Kind A: prop x names "editor"/,
    ],
    [
      'an owner prop that is none',
      () => [kind('A', { owner: ['$userId'] })],
      /Kind A: owner names \$userId, which is no prop that holds a User's id/,
    ],
    [
      'an owner prop of another kind',
      () => [kind('B', {}), kind('A', { owner: ['$bId'] }, { bId: parent('b', 'B') })],
      /Kind A: owner names \$bId/,
    ],
    [
      'an owner prop that is no id',
      () => [kind('A', { owner: ['$name'] }, { name: PLAIN })],
      /Kind A: owner names \$name/,
    ],
    ['the own id of what is no user', () => [kind('A', { owner: ['$id'] })], /Kind A: owner names \$id/],
    [
      'ownership by a relation that is none',
      () => [kind('A', { owner: ['^x'] })],
      /Kind A: owner names \^x, but there is no parent relation/,
    ],
    [
      'ownership by a prop instead of its relation',
      () => [kind('A', { owner: ['^userId'] }, { userId: parent('user', 'User') })],
      /Kind A: owner names \^userId/,
    ],
    [
      'ownership from itself',
      () => [kind('A', { owner: ['^up'] }, { upId: parent('up', 'A') })],
      /Kind A: ownership goes in a circle \(A → A\); take one \^relation out/,
    ],
    [
      'ownership in a circle of two',
      () => [
        kind('A', { owner: ['^b'] }, { bId: parent('b', 'B') }),
        kind('B', { owner: ['^a'] }, { aId: parent('a', 'A') }),
      ],
      /circle \(A → B → A\)/,
    ],
    [
      'ownership in a circle further up',
      () => [
        kind('A', { owner: ['^b'] }, { bId: parent('b', 'B') }),
        kind('B', { owner: ['admin', '^c'] }, { cId: parent('c', 'C') }),
        kind('C', { owner: ['^b'] }, { bId: parent('b', 'B') }),
      ],
      /circle \(A → B → C → B\)/,
    ],
    [
      'ownership by a relation that anybody may set',
      () => [kind('A', { owner: ['$userId'] }, { userId: parent('user', 'User', { skipOwnerCheck: true }) })],
      /Kind A: prop userId: owner names \$userId, so skipOwnerCheck must go/,
    ],
  ])('refuses %s', (_, defs, fix) => {
    const sentence = complaint(() => link(user(), ...defs()));
    expect(sentence).toMatch(fix);
    expect(sentence).not.toContain('\n');
  });

  it('refuses a service without users', () => {
    expect(complaint(() => KindGraph.link([kind('A', {})], 'User'))).toBe(
      'There is no kind User to hold the users.',
    );
  });

  it('lets parents that own nothing go in circles', () => {
    const a = kind('A', { owner: ['admin'] }, { bId: parent('b', 'B') });
    const b = kind('B', { owner: ['^a'] }, { aId: parent('a', 'A'), upId: parent('up', 'B') });
    expect(() => link(user(), a, b)).not.toThrow();
  });

  it('takes the right child prop by via', () => {
    const a = kind('A', {}, { bs: Prop.children({ name: 'bs', kind: 'B', via: 'twoId', view: [] }) });
    const b = kind('B', {}, { oneId: parent('one', 'A'), twoId: parent('two', 'A') });
    expect(link(user(), a, b).get('A').children.get('bs')?.foreignProp.name).toBe('twoId');
  });
});

describe('the rules of ownership', () => {
  const link = (...defs: KindDef[]) => KindGraph.link([user(), ...defs], 'User');
  const chain = (required: boolean) =>
    link(
      declare({ kind: 'Top', path: 'tops', owner: ['$userId', 'admin'] }, { userId: parent('user', 'User') }),
      declare({ kind: 'Mid', path: 'mids', owner: ['^top'] }, { topId: parent('top', 'Top', { required }) }),
      declare(
        { kind: 'Low', path: 'lows', owner: ['^mid'] },
        { midId: parent('mid', 'Mid', { required: true }) },
      ),
      declare(
        { kind: 'Log', path: 'logs', owner: ['^user', 'developer'] },
        { userId: parent('user', 'User') },
      ),
    );
  const rulesOf = (graph: KindGraph, kind: string) =>
    graph
      .get(kind)
      .ownerRules.map(({ hops, column, role: name }) => [
        hops.map((hop) => hop.name).join('.'),
        column,
        name,
      ]);

  it('are a column of the record, or one at the end of its parents', () => {
    const graph = chain(true);
    expect(rulesOf(graph, 'User')).toEqual([['', 'id', null]]);
    expect(rulesOf(graph, 'Top')).toEqual([['', 'userId', null]]);
    expect(rulesOf(graph, 'Mid')).toEqual([['topId', 'userId', null]]);
    expect(rulesOf(graph, 'Low')).toEqual([['midId.topId', 'userId', null]]);
  });

  it('read a user’s own id from the prop that points to it', () => {
    const graph = chain(true);
    expect(rulesOf(graph, 'Log')).toEqual([
      ['', 'userId', null],
      ['', 'userId', 'admin'],
    ]);
    expect([...graph.get('Log').ownerRoles]).toEqual(['developer']);
  });

  it('inherit a role for all records through required parents alone', () => {
    const graph = chain(true);
    for (const kind of ['User', 'Top', 'Mid', 'Low'])
      expect([kind, [...graph.get(kind).ownerRoles]]).toEqual([kind, ['admin']]);
  });

  it('inherit a role through an optional parent only where there is one', () => {
    const graph = chain(false);
    expect([...graph.get('Top').ownerRoles]).toEqual(['admin']);
    expect([...graph.get('Mid').ownerRoles]).toEqual([]);
    expect(rulesOf(graph, 'Mid')).toEqual([
      ['topId', 'userId', null],
      ['', 'topId', 'admin'],
    ]);
    // A required parent whose own parent may be null.
    expect([...graph.get('Low').ownerRoles]).toEqual([]);
    expect(rulesOf(graph, 'Low')).toEqual([
      ['midId.topId', 'userId', null],
      ['midId', 'topId', 'admin'],
    ]);
  });

  it('have keys of their own, so that two ways to one name don’t meet', () => {
    const graph = link(
      declare({ kind: 'Top', path: 'tops', owner: ['$userId'] }, { userId: parent('user', 'User') }),
      declare(
        { kind: 'Pair', path: 'pairs', owner: ['$userId', '^left', '^right'] },
        { userId: parent('user', 'User'), leftId: parent('left', 'Top'), rightId: parent('right', 'Top') },
      ),
    );
    const keys = graph.get('Pair').ownerRules.map((rule) => rule.key);
    expect(new Set(keys).size).toBe(3);
    expect(keys[0]).toBe('userId');
    for (const key of keys.slice(1)) expect(graph.get('Pair').byName.has(key)).toBe(false);
  });
});
