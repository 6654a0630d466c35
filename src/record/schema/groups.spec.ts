import { describe, expect, it } from '@jest/globals';
import { complaint } from '../spec-support.js';
import type { KindDef, KindOptions } from './kind-def.js';
import { KindGraph } from './kind-graph.js';
import { Prop } from './prop.js';
import { declare, parent, user } from './spec-support.js';

const kind = (name: string, options: Partial<KindOptions>, props: Record<string, PropertyDecorator> = {}) =>
  declare({ kind: name, path: `${name.toLowerCase()}s`, ...options }, props);
const link = (...defs: KindDef[]) => KindGraph.link([user(), ...defs], 'User');

const ROLE = { enums: ['guest', 'chair'], enumLabels: ['Guest', 'Chair'], view: [], edit: [] };
const fixed = (name: string, of: string) => parent(name, of, { required: true, createOnly: true });
const seatProps = () => ({
  userId: fixed('user', 'User'),
  clubId: fixed('club', 'Club'),
  role: Prop.enum(ROLE),
  open: Prop.boolean({ enumLabels: ['No', 'Yes'], view: [], edit: [] }),
  end: Prop.date({ view: [], edit: [] }),
});
const seat = (membership: Partial<KindOptions['membership']> = {}, props = seatProps()) =>
  kind('Seat', { membership: { user: 'userId', record: 'clubId', ...membership } }, props);
const club = (options: Partial<KindOptions>) => kind('Club', options);
const party = (options: Partial<KindOptions>, more: Record<string, PropertyDecorator> = {}) =>
  kind('Party', options, { clubId: parent('club', 'Club'), ...more });
const MEMBER = [{ membership: 'Seat' }];

describe('groups', () => {
  it('have a rule for each way into them, with the column that it looks at', () => {
    const graph = link(
      seat({ role: 'role' }),
      club({
        groups: {
          member: MEMBER,
          chair: [{ membership: 'Seat', roles: ['chair'] }],
          staff: ['admin', 'chair'],
        },
      }),
      party(
        { groups: { member: ['^club'], head: ['^club.chair', '^club.owner'], host: ['$hostId'] } },
        {
          hostId: parent('host', 'User'),
        },
      ),
      kind(
        'Dish',
        { groups: { member: ['^party'] } },
        { partyId: parent('party', 'Party', { required: true }) },
      ),
    );
    const rules = (name: string) =>
      graph
        .get(name)
        .linkedGroups.slice(1)
        .map((group) => [
          group.name,
          [...group.roles],
          group.rules.map(({ hops, column, membership }) => [
            ...hops.map((hop) => hop.name),
            column,
            membership?.roles ?? membership?.table ?? null,
          ]),
        ]);
    expect(rules('Club')).toEqual([
      ['member', [], [['id', 'seats']]],
      ['chair', [], [['id', ['chair']]]],
      ['staff', ['admin'], [['id', ['chair']]]],
    ]);
    expect(rules('Party')).toEqual([
      ['member', [], [['clubId', 'seats']]],
      ['head', [], [['clubId', ['chair']]]],
      ['host', [], [['hostId', null]]],
    ]);
    expect(rules('Dish')).toEqual([['member', [], [['partyId', 'clubId', 'seats']]]]);
  });

  it('may own records', () => {
    const graph = link(
      seat(),
      club({ owner: ['member'], groups: { member: MEMBER } }),
      party({ owner: ['^club'] }),
    );
    expect(graph.get('Party').linkedGroups[0].rules).toMatchObject([
      { column: 'clubId', membership: { table: 'seats' } },
    ]);
  });

  it.each<[string, () => KindDef[], RegExp]>([
    [
      'a group that is called like a role',
      () => [club({ groups: { admin: [] } })],
      /^Kind Club: group admin: the word means something else in access lists; choose another/,
    ],
    [
      'a group called owner',
      () => [club({ groups: { owner: [] } })],
      /^Kind Club: group owner: the word means/,
    ],
    [
      'a group that is no word',
      () => [club({ groups: { 'a b': [] } })],
      /^Kind Club: group "a b" must be letters/,
    ],
    [
      'more groups than there are bits for',
      () => [club({ groups: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`g${i}`, []])) })],
      /^Kind Club: it has more than 20 groups/,
    ],
    [
      'a group of unknown words',
      () => [club({ groups: { member: ['editor'] } })],
      /^Kind Club: group member names "editor", which is no role and no group of the kind/,
    ],
    [
      'a group of a parent that there is not',
      () => [club({ groups: { member: ['^house'] } })],
      /^Kind Club: group member names \^house, but there is no parent relation of that name/,
    ],
    [
      'a group that the parent does not have',
      () => [club({}), party({ groups: { member: ['^club'] } })],
      /^Kind Party: group member names \^club, but Club has no group member; declare it there/,
    ],
    [
      'another group that the parent does not have',
      () => [club({}), party({ groups: { member: ['^club.chair'] } })],
      /names \^club\.chair, but Club has no group chair/,
    ],
    [
      'a group by a prop that holds no user',
      () => [club({}), party({ groups: { host: ['$clubId'] } })],
      /^Kind Party: group host names \$clubId, which is no prop that holds a User's id/,
    ],
    [
      'groups in a circle',
      () => [club({ groups: { a: ['b'], b: ['a'] } })],
      /^Kind Club: group a goes in a circle \(Club\.a → Club\.b → Club\.a\)/,
    ],
    [
      'groups in a circle of kinds',
      () => [
        kind('A', { groups: { member: ['^b'] } }, { bId: parent('b', 'B') }),
        kind('B', { groups: { member: ['^a'] } }, { aId: parent('a', 'A') }),
      ],
      /goes in a circle \(A\.member → B\.member → A\.member\); take one \^relation out/,
    ],
    [
      'a membership of no kind',
      () => [club({ groups: { member: MEMBER } })],
      /^Kind Club: group member: there is no kind Seat; import its module/,
    ],
    [
      'a membership that is none',
      () => [kind('Seat', {}, seatProps()), club({ groups: { member: MEMBER } })],
      /^Kind Club: group member: Seat is no kind of memberships; declare membership there/,
    ],
    [
      'a membership of another kind',
      () => [seat(), club({}), party({ groups: { member: MEMBER } })],
      /^Kind Party: group member: a Seat opens records of kind Club/,
    ],
    [
      'a role that a membership has not',
      () => [seat({ role: 'role' }), club({ groups: { x: [{ membership: 'Seat', roles: ['boss'] }] } })],
      /"boss" is no role of a Seat; roles are guest, chair/,
    ],
    [
      'a role where memberships have none',
      () => [seat(), club({ groups: { x: [{ membership: 'Seat', roles: ['chair'] }] } })],
      /"chair" is no role of a Seat; roles are none/,
    ],
    [
      'an attach word that the parent does not know',
      () => [club({}), kind('A', {}, { clubId: parent('club', 'Club', { attach: ['member'] }) })],
      /^Kind A: attach of prop clubId names "member", which is no role/,
    ],
    [
      'a write word that is no group',
      () => [club({ write: ['member'] })],
      /^Kind Club: write names "member", which is no role/,
    ],
    [
      'ownership by a group of somebody whom anybody may name',
      () => [
        kind(
          'A',
          { owner: ['host'], groups: { host: ['$userId'] } },
          {
            userId: parent('user', 'User', { skipOwnerCheck: true }),
          },
        ),
      ],
      /^Kind A: prop userId: owner names \$userId, so skipOwnerCheck must go/,
    ],
  ])('refuses %s', (_, defs, fix) => {
    expect(complaint(() => link(...defs()))).toMatch(fix);
  });
});

describe('a kind of memberships', () => {
  it.each<[string, KindOptions['membership'], Record<string, PropertyDecorator>, RegExp]>([
    [
      'no such user prop',
      { user: 'x', record: 'clubId' },
      {},
      /membership: user names x, which is no prop of type id/,
    ],
    [
      'a user prop of another type',
      { user: 'role', record: 'clubId' },
      {},
      /user names role, which is no prop of type id/,
    ],
    [
      'a user prop of another kind',
      { user: 'clubId', record: 'clubId' },
      {},
      /user must be a relation to User/,
    ],
    [
      'the id as the record',
      { user: 'userId', record: 'id' },
      {},
      /record names id, which is no parent relation/,
    ],
    [
      'a role that is no enum',
      { user: 'userId', record: 'clubId', role: 'end' },
      {},
      /role names end, which is no prop of type enum/,
    ],
    [
      'an end that is no date',
      { user: 'userId', record: 'clubId', until: 'open' },
      {},
      /until names open, which is no prop of type date/,
    ],
    [
      'an acceptance that is no boolean',
      { user: 'userId', record: 'clubId', accepted: 'end' },
      {},
      /accepted names end, which is no prop of type boolean/,
    ],
    [
      'a record that can be exchanged',
      { user: 'userId', record: 'clubId' },
      { clubId: parent('club', 'Club', { required: true }) },
      /clubId must be required and createOnly, so that a membership is never passed on/,
    ],
    [
      'a user who may be missing',
      { user: 'userId', record: 'clubId' },
      { userId: parent('user', 'User', { createOnly: true }) },
      /userId must be required and createOnly/,
    ],
  ])('is refused with %s', (_, membership, props, fix) => {
    const defs = () => [kind('Seat', { membership }, { ...seatProps(), ...props }), club({})];
    expect(complaint(() => link(...defs()))).toMatch(new RegExp(`^Kind Seat: .*${fix.source}`));
  });
});
