import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  allows,
  EVERY_ROW,
  NO_ROW,
  ownerScope,
  scopeSql,
  standingOn,
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
import { denyKeep, mayCreate, mayKeep, setsProp } from './writing.js';
import { Kind, kindOf } from '../schema/kind.js';
import type { KindDef, KindOptions } from '../schema/kind-def.js';
import { KindGraph, type LinkedKind } from '../schema/kind-graph.js';
import { Prop, type PropDef } from '../schema/prop.js';
import { RecordEntity } from '../record.entity.js';
import type { RowValues } from '../row.js';
import { ANONYMOUS, type Memberships, type Viewer, viewerOf } from '../../common/viewer.js';

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
    declare(
      {
        kind: 'Seat',
        path: 'seats',
        membership: { user: 'userId', record: 'clubId', role: 'role' },
        owner: ['^club'],
        groups: { holder: ['$userId'], chair: ['^club'] },
        view: ['owner', 'holder'],
        create: ['owner', 'chair'],
        write: ['owner', 'chair', 'holder'],
      },
      {
        userId: Prop.parent({
          name: 'user',
          kind: 'User',
          required: true,
          createOnly: true,
          skipOwnerCheck: true,
          onDelete: 'cascade',
          view: ['public'],
          edit: ['owner', 'chair'],
        }),
        clubId: Prop.parent({
          name: 'club',
          kind: 'Club',
          required: true,
          createOnly: true,
          attach: ['owner', 'chair'],
          onDelete: 'cascade',
          view: ['public'],
          edit: ['owner', 'chair'],
        }),
        role: Prop.enum({
          enums: ['guest', 'chair'],
          enumLabels: ['Guest', 'Chair'],
          view: ['public'],
          edit: ['owner', 'chair'],
        }),
      },
    ),
    declare(
      {
        kind: 'Club',
        path: 'clubs',
        owner: ['$founderId', 'admin'],
        groups: {
          member: [{ membership: 'Seat' }],
          chair: [{ membership: 'Seat', roles: ['chair'] }],
          insider: ['member', 'developer'],
        },
        view: ['owner', 'member'],
        create: ['owner'],
        write: ['owner', 'chair'],
      },
      { founderId: parent('founder', 'User'), minutes: text(['member'], ['chair']) },
    ),
    declare(
      {
        kind: 'Party',
        path: 'parties',
        owner: ['^club'],
        groups: { member: ['^club'], host: ['$hostId'], chair: ['^club'] },
        view: ['owner', 'member', 'host'],
        create: ['host', 'chair'],
      },
      {
        clubId: parent('club', 'Club'),
        hostId: parent('host', 'User'),
        menu: text(['member'], ['host']),
        costs: text([], ['owner']),
      },
    ),
    declare({ kind: 'House', path: 'houses', owner: ['admin'], view: ['admin'], create: ['developer'] }, {}),
    declare({ kind: 'Log', path: 'logs', owner: ['admin'], view: [], create: [], readOnly: true }, {}),
  ],
  'User',
);
const [user, note, reply, house, log] = ['User', 'Note', 'Reply', 'House', 'Log'].map((name) =>
  graph.get(name),
) as [LinkedKind, LinkedKind, LinkedKind, LinkedKind, LinkedKind];
const [seat, club, party] = ['Seat', 'Club', 'Party'].map((name) => graph.get(name)) as [
  LinkedKind,
  LinkedKind,
  LinkedKind,
];
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

const OWNED: AccessScope = 2;
const order = (one: AccessScope): number => [NO_ROW, OWNED, EVERY_ROW].indexOf(one);
const anyViewer = fc.constantFrom(...viewers);
const anyKind = fc.constantFrom(user, note, reply, house, log);
const who = fc.uniqueArray(fc.constantFrom('public', 'owner', 'admin', 'developer'));

describe('access scope', () => {
  it('is all by public or a role of the viewer, owned by owner, none by nothing', () => {
    const cases: [string[], Viewer, AccessScope][] = [
      [[], admin, NO_ROW],
      [['public'], ANONYMOUS, EVERY_ROW],
      [['admin'], ANONYMOUS, NO_ROW],
      [['admin'], plain, NO_ROW],
      [['admin'], admin, EVERY_ROW],
      [['developer'], admin, NO_ROW],
      [['owner'], ANONYMOUS, NO_ROW],
      [['owner'], plain, OWNED],
      [['owner'], admin, EVERY_ROW],
      [['owner', 'developer'], developer, EVERY_ROW],
      [['owner', 'developer'], plain, OWNED],
      [['owner', 'public'], plain, EVERY_ROW],
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
        const together = order(scope([...a, ...b], kind, viewer));
        expect(together).toBe(Math.max(order(scope(a, kind, viewer)), order(scope(b, kind, viewer))));
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
    const [theirs, other] = [EVERY_ROW | OWNED, EVERY_ROW];
    expect([EVERY_ROW, OWNED, NO_ROW].map((one) => [covers(one, theirs), covers(one, other)])).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]);
  });
});

describe('ownership', () => {
  it('covers no row of the anonymous, own rows of users, all rows of owner roles', () => {
    expect([user, note, reply].map((kind) => ownerScope(kind, ANONYMOUS))).toEqual([NO_ROW, NO_ROW, NO_ROW]);
    expect([user, note, reply, house].map((kind) => ownerScope(kind, plain))).toEqual([
      OWNED,
      OWNED,
      OWNED,
      NO_ROW,
    ]);
    expect([user, note, house].map((kind) => ownerScope(kind, admin))).toEqual([
      EVERY_ROW,
      EVERY_ROW,
      EVERY_ROW,
    ]);
    // An inherited role needs a parent to be inherited from.
    expect(ownerScope(reply, admin)).toBe(OWNED);
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
    const keys = reply.linkedGroups[0].rules.map((rule) => rule.key);
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
        if (where === EVERY_ROW) expect(owned).toBe(true);
        if (where === NO_ROW) expect(owned).toBe(false);
      }),
    );
  });

  it('is SQL with bare columns and a parameter for the viewer', () => {
    let asked = 0;
    const sql = (kind: LinkedKind, viewer: Viewer) =>
      scopeSql(ownerScope(kind, viewer), kind, viewer, {
        column: (rule) => `[${rule.column}]`,
        parameter: () => {
          asked++;
          return '$7';
        },
        isMember: () => 'member',
      });
    expect(sql(note, plain)).toBe('([userId] = $7)');
    expect(sql(note, admin)).toBe('true');
    expect(sql(note, ANONYMOUS)).toBe('false');
    expect(sql(user, plain)).toBe('([id] = $7)');
    expect(sql(reply, plain)).toBe('([userId] = $7)');
    expect(sql(reply, admin)).toBe('([userId] = $7 OR [noteId] IS NOT NULL)');
    expect(sql(house, plain)).toBe('false');
    asked = 0;
    sql(note, admin);
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
      NO_ROW,
      OWNED,
      EVERY_ROW,
      EVERY_ROW,
    ]);
  });

  it.each<[string, Record<string, AccessScope>]>([
    ['open', { anonymous: EVERY_ROW, plain: EVERY_ROW, developer: EVERY_ROW, admin: EVERY_ROW }],
    ['own', { anonymous: NO_ROW, plain: OWNED, developer: OWNED, admin: EVERY_ROW }],
    ['dev', { anonymous: NO_ROW, plain: NO_ROW, developer: EVERY_ROW, admin: NO_ROW }],
    // Whoever may edit may view.
    ['edited', { anonymous: NO_ROW, plain: NO_ROW, developer: EVERY_ROW, admin: NO_ROW }],
    ['nobody', { anonymous: NO_ROW, plain: NO_ROW, developer: NO_ROW, admin: NO_ROW }],
  ])('show %s as declared', (name, expected) => {
    const by = { anonymous: ANONYMOUS, plain, developer, admin };
    for (const [who, viewer] of Object.entries(by)) {
      const where = viewScope(propOf(note, name), note, viewer);
      expect([name, who, where]).toEqual([name, who, expected[who]]);
      for (const row of [mine, theirs, nobodys]) {
        expect(seesProp(propOf(note, name), note, viewer, row)).toBe(allows(where, note, viewer, row));
      }
    }
  });

  it('never show what is writeOnly, to nobody', () => {
    const password = propOf(user, 'password');
    for (const viewer of viewers) {
      expect(viewScope(password, user, viewer)).toBe(NO_ROW);
      expect(seesProp(password, user, viewer, { id: '1' })).toBe(false);
    }
    expect(setsProp(password, user, plain, { id: '1' })).toBe(true);
  });

  it('let a prop be set by those whom edit lists', () => {
    const edits = (name: string, viewer: Viewer) => setsProp(propOf(note, name), note, viewer, mine);
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
    const keeps = (viewer: Viewer, row: RowValues) =>
      [user, note, house].map((kind) => mayKeep(kind, viewer, row));
    expect(keeps(developer, { id: '9', userId: '1' })).toEqual([true, false, true]);
    expect(keeps(developer, { id: '9', userId: '2' })).toEqual([true, true, true]);
    expect(keeps(plain, { id: '9', userId: '1' })).toEqual([true, true, false]);
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

describe('groups', () => {
  const NO_MORE: Memberships = { records: () => new Set(), hasAll: () => true, key: '' };
  /** A user with seats, as `record id:role`. */
  const withSeats = (...seats: string[]): Viewer =>
    viewerOf('5', [], '14', {
      ...NO_MORE,
      records: ({ roles }) =>
        new Set(
          seats
            .map((one) => one.split(':') as [string, string])
            .filter(([, role]) => roles?.includes(role) ?? true)
            .map(([record]) => record),
        ),
    });
  const [OWNER, MEMBER, CHAIR, INSIDER] = [2, 4, 8, 16];
  const clubs: RowValues[] = [
    { id: '1', founderId: '9' },
    { id: '2', founderId: '5' },
    { id: '3', founderId: null },
  ];

  it('are what a row and the memberships of the viewer say, and everybody is in the first', () => {
    const on = (viewer: Viewer) => clubs.map((row) => standingOn(club, viewer, row));
    expect(on(withSeats())).toEqual([1, 1 | OWNER, 1]);
    expect(on(withSeats('1:guest', '3:chair'))).toEqual([
      1 | MEMBER | INSIDER,
      1 | OWNER,
      1 | MEMBER | CHAIR | INSIDER,
    ]);
    expect(on(developer)).toEqual([1 | INSIDER, 1 | INSIDER, 1 | INSIDER]);
    expect(on(admin)).toEqual([1 | OWNER, 1 | OWNER, 1 | OWNER]);
    expect(on(ANONYMOUS)).toEqual([1, 1, 1]);
  });

  it('open rows and props, and nothing of other rows', () => {
    const viewer = withSeats('1:guest');
    expect(clubs.map((row) => seesRow(club, viewer, row))).toEqual([true, true, false]);
    const minutes = propOf(club, 'minutes');
    expect(clubs.map((row) => seesProp(minutes, club, viewer, row))).toEqual([true, false, false]);
    expect(rowScope(club, viewer)).toBe(OWNED | 4);
    expect(rowScope(club, ANONYMOUS)).toBe(NO_ROW);
  });

  it('are inherited by the same name, and never by a null', () => {
    const viewer = withSeats('1:guest');
    const row = (clubId: string | null, hostId: string | null) => ({ id: '7', clubId, hostId });
    expect(seesRow(party, viewer, row('1', null))).toBe(true);
    expect(seesRow(party, viewer, row('2', null))).toBe(false);
    expect(seesRow(party, viewer, row('2', '5'))).toBe(true);
    expect(seesRow(party, viewer, row(null, null))).toBe(false);
    expect(seesRow(party, ANONYMOUS, row('1', null))).toBe(false);
  });

  it('say who changes a row, of those who see it', () => {
    const status = (viewer: Viewer) => denyWrite(club, viewer, clubs[0] ?? null)?.status ?? 200;
    expect(
      [withSeats(), withSeats('1:guest'), withSeats('1:chair'), withSeats('2:chair')].map(status),
    ).toEqual([404, 403, 200, 404]);
    expect(setsProp(propOf(club, 'minutes'), club, withSeats('1:chair'), clubs[0] ?? {})).toBe(true);
    expect(setsProp(propOf(club, 'minutes'), club, withSeats('1:guest'), clubs[0] ?? {})).toBe(false);
    expect(setsProp(propOf(party, 'costs'), party, withSeats('1:chair'), { clubId: '1' })).toBe(false);
  });

  it('let a new row stand that the creator has a place in, with the props of that place alone', () => {
    const keep = (viewer: Viewer, row: RowValues, ...given: string[]) => {
      const error = denyKeep(party, viewer, { id: '8', ...row }, new Set(given));
      return error && [error.status, error.data];
    };
    expect(keep(withSeats('1:chair'), { clubId: '1', hostId: null })).toBeNull();
    expect(keep(withSeats('1:guest'), { clubId: '1', hostId: null })).toEqual([403, null]);
    expect(keep(withSeats('1:chair'), { clubId: '2', hostId: null })).toEqual([403, null]);
    expect(keep(withSeats(), { clubId: '2', hostId: '5' }, 'menu')).toBeNull();
    expect(keep(withSeats('1:chair'), { clubId: '1', hostId: '5' }, 'menu')).toBeNull();
    expect(keep(withSeats('1:chair'), { clubId: '1', hostId: null }, 'menu')).toEqual([403, 'menu']);
    // Who creates as one of a group is no owner.
    expect(keep(withSeats('1:chair'), { clubId: '1', hostId: null }, 'costs')).toEqual([403, 'costs']);
    expect(keep(ANONYMOUS, { clubId: '1', hostId: null })).toEqual([401, null]);
  });

  it('let nobody make or raise a membership of his own by one that he has', () => {
    const own = { id: '4', userId: '5', clubId: '1', role: 'guest' };
    const role = propOf(seat, 'role');
    const key = seat.linkedGroups[0].rules[0]?.key ?? '';
    const chair = withSeats('1:chair');
    expect(setsProp(role, seat, chair, { ...own, userId: '6' })).toBe(true);
    expect(setsProp(role, seat, chair, own)).toBe(false);
    expect(setsProp(role, seat, chair, { ...own, [key]: '5' })).toBe(true); // whose club it is
    expect(setsProp(role, seat, withSeats('1:guest'), own)).toBe(false);
    const made = (row: RowValues) => denyKeep(seat, chair, row, new Set(['userId', 'clubId', 'role']));
    expect(made({ ...own, userId: '6' })).toBeNull();
    expect(made(own)?.status).toBe(403);
  });

  it('are SQL that is true where the row says so', () => {
    const parameters: [string, unknown][] = [];
    const sql = (kind: LinkedKind, viewer: Viewer) =>
      scopeSql(rowScope(kind, viewer), kind, viewer, {
        column: (rule) => `[${rule.column}]`,
        parameter: (name, value) => `$${parameters.push([name, value()])}`,
        isMember: ({ table }, column, user) => `member(${table}, ${column}, ${user})`,
      });
    expect(sql(club, withSeats('1:guest'))).toBe('([founderId] = $1 OR [id] = ANY($2::bigint[]))');
    expect(parameters.splice(0)).toEqual([
      ['user', '5'],
      ['seats ', ['1']],
    ]);
    const many = withSeats(...Array.from({ length: 1001 }, (_, i) => `${i}:guest`));
    expect(sql(club, many)).toBe('([founderId] = $1 OR member(seats, [id], $2))');
    parameters.splice(0);
    // Where the database knows of more than is read, both go by what is read.
    const more = { ...many, memberships: { ...many.memberships, hasAll: () => false } };
    expect(sql(club, more)).toBe('([founderId] = $1 OR [id] = ANY($2::bigint[]))');
    expect(sql(club, admin)).toBe('true');
    expect(sql(club, ANONYMOUS)).toBe('false');
  });
});
