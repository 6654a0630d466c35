import { describe, expect, it } from '@jest/globals';
import { Column } from 'typeorm';
import { Kind, kindOf, kindsOf, registeredKinds, registeredVersions } from './kind.js';
import type { EntityClass } from './kind-def.js';
import { KindGraph } from './kind-graph.js';
import { KindVersion } from './kind-version.js';
import { Prop } from './prop.js';
import { RecordEntity } from '../record.entity.js';
import { complaint } from '../spec-support.js';

const ALL = { view: ['public'], edit: ['owner'] } as const;
const ROLE = { enumLabels: ['No', 'Yes'], view: ['owner'], edit: [] } as const;

@Kind({ kind: 'User', path: 'users', owner: ['$id', 'admin'], view: ['public'], create: ['owner'] })
class User extends RecordEntity {
  @Prop.boolean(ROLE)
  admin!: boolean;

  @Prop.string({ length: 20, required: true, unique: true, ...ALL })
  name!: string;

  @Prop.enum({ enums: ['a', 'b'], enumLabels: ['A', 'B'], ...ALL })
  letter!: string;

  @Prop.parent({ name: 'boss', kind: 'User', onDelete: 'null', ...ALL })
  bossId!: string;

  @Column({ type: 'varchar', length: 20, select: false, nullable: true })
  secret!: string;
}

/** Declares a later version of a kind. `props`: name → decorator. */
function later(
  version: string,
  changes: Parameters<typeof KindVersion>[1],
  props: Readonly<Record<string, PropertyDecorator>> = {},
  base: EntityClass = User,
): EntityClass {
  class Later extends (base as new () => RecordEntity) {}
  for (const [name, decorate] of Object.entries(props)) decorate(Later.prototype, name);
  KindVersion(version, changes)(Later);
  return Later;
}

const names = (entity: EntityClass) => kindOf(entity).props.map(({ name }) => name);

describe('@KindVersion', () => {
  const V2 = later(
    'v2',
    { path: 'people', without: ['letter'], base: { id: { filterQualifier: true } } },
    {
      nick: Prop.string({
        column: 'name',
        length: 10,
        required: true,
        unique: true,
        filterQuery: true,
        ...ALL,
      }),
      age: Prop.int({ filterRange: true, ...ALL }),
    },
  );
  const V3 = later('v3', {}, { age: Prop.int({ view: [], edit: [] }) }, V2);

  it('takes over what it does not change, each prop in its place', () => {
    expect(names(V2)).toEqual('id createdAt updatedAt admin nick bossId age'.split(' '));
    expect(names(V3)).toEqual(names(V2));
    expect(kindOf(V3)).toMatchObject({
      kind: 'User',
      path: 'people',
      table: 'users',
      version: 'v3',
      storedAs: User,
    });
    expect(kindOf(V3).props.find(({ name }) => name === 'age')).toMatchObject({ view: [], column: 'age' });
    expect(kindOf(V3).props[0]).toMatchObject({ name: 'id', filterQualifier: true });
    // Rows hold it all the same.
    expect(kindOf(V2).columns.map(({ name }) => name)).toContain('letter');
    expect(names(User)).toEqual('id createdAt updatedAt admin name letter bossId'.split(' '));
    expect(kindOf(User).columns.map(({ name }) => name)).not.toContain('age');
  });

  it('is part of its own version alone; the table has the columns of all', () => {
    expect(registeredVersions()).toEqual(['v1', 'v2', 'v3']);
    expect(kindsOf('v2')).toEqual([kindOf(V2)]);
    expect(registeredKinds().map(({ entity }) => entity)).toEqual([User]);
    const table = registeredKinds()[0];
    expect(table?.props.map(({ name }) => name)).toEqual([...names(User), 'age']);
    expect(table?.props.find(({ name }) => name === 'name')?.filterQuery).toBe(true);
    const graph = KindGraph.link(kindsOf('v2'), 'User', 'v2');
    expect([graph.userKind.byColumn.get('name')?.name, graph.version]).toEqual(['nick', 'v2']);
  });

  it.each<[Parameters<typeof KindVersion>[1], Record<string, PropertyDecorator>, RegExp]>([
    [{ without: ['nothing'] }, {}, /Kind User in v2: without names nothing, which v1 does not have/],
    [{ without: ['id'] }, {}, /every version has id/],
    [
      { without: ['letter'] },
      { letter: Prop.enum({ enums: ['a'], enumLabels: ['A'], ...ALL }) },
      /prop letter: .* other enums/,
    ],
    [
      {},
      { nick: Prop.string({ column: 'nam', length: 9, ...ALL }) },
      /prop nick: there is no column "nam" in users/,
    ],
    [{}, { nick: Prop.int({ column: 'name', ...ALL }) }, /prop nick: the column "name" is of type string/],
    [
      {},
      { name: Prop.string({ length: 20, unique: true, ...ALL }) },
      /"name" is never null: it must be required/,
    ],
    [
      {},
      { name: Prop.string({ length: 21, required: true, unique: true, ...ALL }) },
      /holds 20 characters at most/,
    ],
    [{}, { name: Prop.string({ length: 20, required: true, ...ALL }) }, /unique must be as for name/],
    [
      {},
      { bossId: Prop.parent({ name: 'boss', kind: 'User', onDelete: 'cascade', ...ALL }) },
      /onDelete must be null/,
    ],
    [
      {},
      { bossId: Prop.parent({ name: 'boss', kind: 'Other', onDelete: 'null', ...ALL }) },
      /records of kind User/,
    ],
    [{}, { size: Prop.int({ required: true, ...ALL }) }, /prop size: versions before do not set it/],
    [{}, { secret: Prop.string({ length: 20, ...ALL }) }, /"secret" is a column of the service alone/],
    [
      {},
      { updatedAt: Prop.date({ required: true, view: ['owner'], edit: ['owner'] }) },
      /prop updatedAt: every version has/,
    ],
    [
      {},
      { bornAt: Prop.date({ column: 'createdAt', required: true, ...ALL }) },
      /prop bornAt: every version has/,
    ],
    [
      {},
      {
        one: Prop.string({ column: 'name', length: 20, required: true, unique: true, ...ALL }),
        two: Prop.string({ column: 'name', length: 20, required: true, unique: true, ...ALL }),
      },
      /two props have the column "name"/,
    ],
    [
      {},
      {
        name: Prop.string({
          length: 20,
          required: true,
          unique: true,
          uniqueQualifiers: ['createdAt'],
          ...ALL,
        }),
      },
      /prop name: uniqueQualifiers must be the props of these columns: none/,
    ],
    [{ without: ['name'] }, {}, /a create needs name: keep the prop/],
    [{ view: ['Public'] }, {}, /"Public" is no entry of an access list/],
  ])('refuses %j with %o', (changes, props, sentence) => {
    expect(complaint(() => later('v2', changes, props))).toMatch(sentence);
    expect(registeredVersions()).toEqual(['v1', 'v2', 'v3']);
  });

  it('shows a prop that a version before has given up only when told its column', () => {
    const letter = (column?: string) =>
      Prop.enum({ enums: ['a', 'b'], enumLabels: ['A', 'B'], ...ALL, ...(column && { column }) });
    const name = Prop.string({ length: 20, required: true, unique: true, ...ALL });
    expect(complaint(() => later('v4', {}, { letter: letter() }, V2))).toMatch(
      /prop letter: "letter" is the column of a prop that v2 does not have/,
    );
    expect(complaint(() => later('v4', {}, { name }, V2))).toMatch(
      /prop name: "name" is the column of a prop/,
    );
    expect(names(later('v5', {}, { letter: letter('letter') }, V2))).toContain('letter');
  });

  it('is the only way to the name and the table of a kind', () => {
    const again = (kind: string, path: string) => () => {
      class Again extends RecordEntity {}
      Kind({ kind, path, version: 'v2', owner: ['admin'], view: ['public'], create: [] })(Again);
    };
    expect(complaint(again('User', 'others'))).toMatch(/Kind User is in v1 too: .* extend User/);
    expect(complaint(again('Other', 'users'))).toMatch(/Path users is in v1 too/);
  });

  it('extends a kind of a version before', () => {
    class Bare extends RecordEntity {}
    expect(complaint(() => KindVersion('v2')(Bare))).toMatch(/Bare is no version of a kind/);
    expect(complaint(() => later('v2', {}, {}, V2))).toMatch(/v2 does not come after v2/);
    expect(complaint(() => later('v2', { view: undefined }))).toMatch(/User: say who may see its records/);
    expect(complaint(() => later('second', {}))).toMatch(/version "second" must be v and a number/);
    expect(names(later('v4', { without: ['name'], create: [] }))).not.toContain('name');
  });
});
