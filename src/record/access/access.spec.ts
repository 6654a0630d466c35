import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  createsAsOwner,
  editsProp,
  mayCreate,
  ownedSql,
  ownerScope,
  owns,
  scope,
  type AccessScope,
  covers,
  denyList,
  denyWrite,
  rowScope,
  seesProp,
  seesRow,
  viewScope,
} from './access.js';
import { Kind, kindOf } from '../schema/kind.js';
import type { KindDef, KindOptions } from '../schema/kind-def.js';
import { KindGraph, type LinkedKind } from '../schema/kind-graph.js';
import { Prop, type PropDef } from '../schema/prop.js';
import { RecordEntity } from '../record.entity.js';
import type { RowValues } from '../row.js';
import { ANONYMOUS, type Viewer, viewerOf } from '../../common/viewer.js';

function declare(options: KindOptions, props: Readonly<Record<string, PropertyDecorator>>): KindDef {
  class Sample extends RecordEntity {}
  for (const [name, decorate] of Object.entries(props)) decorate(Sample.prototype, name);
  Kind(options)(Sample);
  return kindOf(Sample);
}

const role = Prop.boolean({ enumLabels: ['No', 'Yes'], view: ['owner'], edit: [] });
const text = (view: string[], edit: string[], more = {}) => Prop.string({ length: 9, view, edit, ...more });
const parent = (name: string, kind: string, required = false) =>
  Prop.parent({ name, kind, required, onDelete: 'cascade', view: ['public'], edit: ['owner'] });

const graph = KindGraph.link(
  [
    declare(
      { kind: 'User', path: 'users', owner: ['$id', 'admin'], view: ['public'], create: ['public'] },
      { admin: role, developer: role, password: text([], ['owner'], { writeOnly: true }) },
    ),
    declare(
      {
        kind: 'Note',
        path: 'notes',
        owner: ['$userId', 'admin'],
        view: ['owner', 'developer'],
        create: ['owner'],
      },
      {
        userId: parent('user', 'User'),
        open: text(['public'], []),
        own: text(['owner'], ['owner']),
        dev: text(['developer'], []),
        edited: text([], ['developer']),
        nobody: text([], []),
        fixed: text(['public'], ['public'], { noSetAll: true }),
      },
    ),
    declare(
      { kind: 'Reply', path: 'replies', owner: ['^note'], view: ['public'], create: ['owner'] },
      { noteId: parent('note', 'Note'), own: text(['owner'], ['owner']) },
    ),
    declare({ kind: 'House', path: 'houses', owner: ['admin'], view: ['admin'], create: ['developer'] }, {}),
    declare({ kind: 'Log', path: 'logs', owner: ['admin'], view: [], create: [], readOnly: true }, {}),
  ],
  'User',
);
const [user, note, reply, house, log] = ['User', 'Note', 'Reply', 'House', 'Log'].map((name) =>
  graph.get(name),
) as [LinkedKind, LinkedKind, LinkedKind, LinkedKind, LinkedKind];
const propOf = (kind: LinkedKind, name: string): PropDef => {
  const prop = kind.byName.get(name);
  if (!prop) throw new Error(name);
  return prop;
};

const plain = viewerOf('1', [], '10');
const developer = viewerOf('2', ['developer'], '11');
const admin = viewerOf('3', ['admin'], '12');
const viewers: Viewer[] = [ANONYMOUS, plain, developer, admin, viewerOf('4', ['developer', 'admin'], '13')];
const mine: RowValues = { id: '100', userId: '1' };
const theirs: RowValues = { id: '101', userId: '2' };
const nobodys: RowValues = { id: '102', userId: null };

const ORDER: Record<AccessScope, number> = { none: 0, owned: 1, all: 2 };
const anyViewer = fc.constantFrom(...viewers);
const anyKind = fc.constantFrom(user, note, reply, house, log);
const who = fc.uniqueArray(fc.constantFrom('public', 'owner', 'admin', 'developer'));

describe('access scope', () => {
  it('is all by public or a role of the viewer, owned by owner, none by nothing', () => {
    const cases: [string[], Viewer, AccessScope][] = [
      [[], admin, 'none'],
      [['public'], ANONYMOUS, 'all'],
      [['admin'], ANONYMOUS, 'none'],
      [['admin'], plain, 'none'],
      [['admin'], admin, 'all'],
      [['developer'], admin, 'none'],
      [['owner'], ANONYMOUS, 'none'],
      [['owner'], plain, 'owned'],
      [['owner'], admin, 'all'],
      [['owner', 'developer'], developer, 'all'],
      [['owner', 'developer'], plain, 'owned'],
      [['owner', 'public'], plain, 'all'],
    ];
    for (const [list, viewer, expected] of cases) {
      expect([list, viewer.viewerClass, scope(list, note, viewer)]).toEqual([
        list,
        viewer.viewerClass,
        expected,
      ]);
    }
  });

  it('grows with the list and never shrinks, and two lists together cover what either does', () => {
    fc.assert(
      fc.property(who, who, anyKind, anyViewer, (a, b, kind, viewer) => {
        const together = ORDER[scope([...a, ...b], kind, viewer)];
        expect(together).toBe(Math.max(ORDER[scope(a, kind, viewer)], ORDER[scope(b, kind, viewer)]));
      }),
    );
  });

  it('does not depend on the order of the list', () => {
    fc.assert(
      fc.property(who, anyKind, anyViewer, (list, kind, viewer) => {
        expect(scope([...list].reverse(), kind, viewer)).toBe(scope(list, kind, viewer));
      }),
    );
  });

  it('holds on a row exactly where it says', () => {
    expect(
      ['all', 'owned', 'none'].map((one) => [
        covers(one as AccessScope, true),
        covers(one as AccessScope, false),
      ]),
    ).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]);
  });
});

describe('ownership', () => {
  it('covers no row of the anonymous, own rows of users, all rows of owner roles', () => {
    expect([user, note, reply].map((kind) => ownerScope(kind, ANONYMOUS))).toEqual(['none', 'none', 'none']);
    expect([user, note, reply, house].map((kind) => ownerScope(kind, plain))).toEqual([
      'owned',
      'owned',
      'owned',
      'none',
    ]);
    expect([user, note, house].map((kind) => ownerScope(kind, admin))).toEqual(['all', 'all', 'all']);
    // An inherited role needs a parent to be inherited from.
    expect(ownerScope(reply, admin)).toBe('owned');
  });

  it('is by the user’s id, and never by a null', () => {
    expect([mine, theirs, nobodys].map((row) => owns(note, plain, row))).toEqual([true, false, false]);
    expect([mine, theirs, nobodys].map((row) => owns(note, ANONYMOUS, row))).toEqual([false, false, false]);
    expect([mine, theirs, nobodys].map((row) => owns(note, admin, row))).toEqual([true, true, true]);
    expect(owns(note, plain, {})).toBe(false);
    expect(owns(note, { ...ANONYMOUS, userId: null }, { userId: undefined })).toBe(false);
    expect([owns(user, plain, { id: '1' }), owns(user, plain, { id: '2' })]).toEqual([true, false]);
  });

  it('is inherited, by id and by role, where there is a parent', () => {
    const keys = reply.ownerRules.map((rule) => rule.key);
    const row = (noteId: string | null, userId: string | null): RowValues =>
      Object.fromEntries(['noteId', ...keys].map((key) => [key, key === 'noteId' ? noteId : userId]));
    expect(owns(reply, plain, row('100', '1'))).toBe(true);
    expect(owns(reply, plain, row('101', '2'))).toBe(false);
    expect(owns(reply, plain, row('102', null))).toBe(false);
    expect(owns(reply, admin, row('102', null))).toBe(true);
    expect(owns(reply, admin, row(null, null))).toBe(false);
    expect(owns(reply, ANONYMOUS, row(null, null))).toBe(false);
  });

  it('agrees with its scope', () => {
    const id = fc.constantFrom(null, '1', '2', '3');
    fc.assert(
      fc.property(fc.constantFrom(user, note, house), anyViewer, id, (kind, viewer, userId) => {
        const owned = owns(kind, viewer, { id: '9', userId });
        const where = ownerScope(kind, viewer);
        if (where === 'all') expect(owned).toBe(true);
        if (where === 'none') expect(owned).toBe(false);
      }),
    );
  });

  it('is SQL with bare columns and a parameter for the viewer', () => {
    const sql = (kind: LinkedKind, viewer: Viewer) =>
      ownedSql(
        kind,
        viewer,
        (rule) => `[${rule.column}]`,
        () => '$7',
      );
    expect(sql(note, plain)).toBe('([userId] = $7)');
    expect(sql(note, admin)).toBe('true');
    expect(sql(note, ANONYMOUS)).toBe('false');
    expect(sql(user, plain)).toBe('([id] = $7)');
    expect(sql(reply, plain)).toBe('([userId] = $7)');
    expect(sql(reply, admin)).toBe('([userId] = $7 OR [noteId] IS NOT NULL)');
    expect(sql(house, plain)).toBe('false');
    let asked = 0;
    ownedSql(
      note,
      admin,
      () => '',
      () => String(asked++),
    );
    expect(asked).toBe(0);
  });
});

describe('rows and props', () => {
  it('show a row to those whom view lets in', () => {
    const sees = (viewer: Viewer) => [mine, theirs, nobodys].map((row) => seesRow(note, viewer, row));
    expect(sees(ANONYMOUS)).toEqual([false, false, false]);
    expect(sees(plain)).toEqual([true, false, false]);
    expect(sees(developer)).toEqual([true, true, true]);
    expect(sees(admin)).toEqual([true, true, true]);
    expect([ANONYMOUS, plain, developer, admin].map((viewer) => rowScope(note, viewer))).toEqual([
      'none',
      'owned',
      'all',
      'all',
    ]);
  });

  it.each<[string, Record<string, AccessScope>]>([
    ['open', { anonymous: 'all', plain: 'all', developer: 'all', admin: 'all' }],
    ['own', { anonymous: 'none', plain: 'owned', developer: 'owned', admin: 'all' }],
    ['dev', { anonymous: 'none', plain: 'none', developer: 'all', admin: 'none' }],
    // Whoever may edit may view.
    ['edited', { anonymous: 'none', plain: 'none', developer: 'all', admin: 'none' }],
    ['nobody', { anonymous: 'none', plain: 'none', developer: 'none', admin: 'none' }],
  ])('show %s as declared', (name, expected) => {
    const by = { anonymous: ANONYMOUS, plain, developer, admin };
    for (const [who, viewer] of Object.entries(by)) {
      const where = viewScope(propOf(note, name), note, viewer);
      expect([name, who, where]).toEqual([name, who, expected[who]]);
      for (const row of [mine, theirs, nobodys]) {
        expect(seesProp(propOf(note, name), note, viewer, row)).toBe(covers(where, owns(note, viewer, row)));
      }
    }
  });

  it('never show what is writeOnly, to nobody', () => {
    const password = propOf(user, 'password');
    for (const viewer of viewers) {
      expect(viewScope(password, user, viewer)).toBe('none');
      expect(seesProp(password, user, viewer, { id: '1' })).toBe(false);
    }
    expect(editsProp(password, plain)).toBe(true);
  });

  it('let a prop be set by those whom edit lists', () => {
    const edits = (name: string, viewer: Viewer) => editsProp(propOf(note, name), viewer);
    expect(['open', 'own', 'dev', 'edited', 'nobody', 'fixed'].map((name) => edits(name, plain))).toEqual([
      false,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(edits('edited', developer)).toBe(true);
    expect(edits('edited', admin)).toBe(false);
  });
});

describe('verbs', () => {
  const status = (error: { status: number } | null) => error?.status ?? 200;

  it('create: by create alone', () => {
    const may = (kind: LinkedKind) =>
      [ANONYMOUS, plain, developer, admin].map((viewer) => mayCreate(kind, viewer));
    expect(may(user)).toEqual([true, true, true, true]);
    expect(may(note)).toEqual([false, true, true, true]);
    expect(may(house)).toEqual([false, false, true, false]);
    expect(may(log)).toEqual([false, false, false, false]);
    expect([user, note, house].map((kind) => createsAsOwner(kind, developer))).toEqual([false, true, false]);
    expect([user, note, house].map((kind) => createsAsOwner(kind, plain))).toEqual([false, true, true]);
  });

  it('list: refused where no row can ever be seen', () => {
    const list = (kind: LinkedKind) =>
      [ANONYMOUS, plain, developer, admin].map((viewer) => status(denyList(kind, viewer)));
    expect(list(user)).toEqual([200, 200, 200, 200]);
    expect(list(note)).toEqual([401, 200, 200, 200]);
    expect(list(house)).toEqual([401, 403, 403, 200]);
    expect(list(log)).toEqual([401, 403, 403, 403]);
  });

  it('write: 404 for what is hidden or not there, 401 or 403 for what is seen and not owned', () => {
    const write = (kind: LinkedKind, row: RowValues | null) =>
      [ANONYMOUS, plain, developer, admin].map((viewer) => status(denyWrite(kind, viewer, row)));
    expect(write(note, mine)).toEqual([404, 200, 403, 200]);
    expect(write(note, theirs)).toEqual([404, 404, 200, 200]);
    expect(write(note, nobodys)).toEqual([404, 404, 403, 200]);
    expect(write(note, null)).toEqual([404, 404, 404, 404]);
    expect(write(user, { id: '1' })).toEqual([401, 200, 403, 200]);
    expect(write(log, { id: '1' })).toEqual([404, 404, 404, 404]);
  });

  it('write: refused to all on kinds that are read-only', () => {
    const open = { ...note, readOnly: true };
    expect(status(denyWrite(open, admin, mine))).toBe(403);
    expect(status(denyWrite(open, plain, mine))).toBe(403);
    expect(status(denyWrite(open, ANONYMOUS, mine))).toBe(404);
  });
});
