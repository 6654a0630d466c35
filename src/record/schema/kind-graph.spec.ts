import { describe, expect, it } from '@jest/globals';
import type { KindDef, KindOptions } from './kind-def.js';
import { KindGraph, relationAt, rolesOf, segmentOf } from './kind-graph.js';
import { Prop } from './prop.js';
import { complaint } from '../spec-support.js';
import { declare, parent, user, PLAIN } from './spec-support.js';

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
      .linkedGroups[0].rules.map(({ hops, column, role: name }) => [
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
    expect([...graph.get('Log').linkedGroups[0].roles]).toEqual(['developer']);
  });

  it('inherit a role for all records through required parents alone', () => {
    const graph = chain(true);
    for (const kind of ['User', 'Top', 'Mid', 'Low'])
      expect([kind, [...graph.get(kind).linkedGroups[0].roles]]).toEqual([kind, ['admin']]);
  });

  it('inherit a role through an optional parent only where there is one', () => {
    const graph = chain(false);
    expect([...graph.get('Top').linkedGroups[0].roles]).toEqual(['admin']);
    expect([...graph.get('Mid').linkedGroups[0].roles]).toEqual([]);
    expect(rulesOf(graph, 'Mid')).toEqual([
      ['topId', 'userId', null],
      ['', 'topId', 'admin'],
    ]);
    // A required parent whose own parent may be null.
    expect([...graph.get('Low').linkedGroups[0].roles]).toEqual([]);
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
    const keys = graph.get('Pair').linkedGroups[0].rules.map((rule) => rule.key);
    expect(new Set(keys).size).toBe(3);
    expect(keys[0]).toBe('userId');
    for (const key of keys.slice(1)) expect(graph.get('Pair').byName.has(key)).toBe(false);
  });
});
