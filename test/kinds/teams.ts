import type { Type } from '@nestjs/common';
import { Kind } from '../../src/record/schema/kind.js';
import { Prop } from '../../src/record/schema/prop.js';
import { RecordEntity } from '../../src/record/record.entity.js';
import { MAKER, testModule } from './define.js';

/*
 * Kinds of a help desk that teams share: who sees and does what goes by memberships, on the record itself and two and three
 * steps below it.
 */

/** What a membership of an organisation opens. */
const STAFF = ['agent', 'manager'];

/** Belongs to its founder; members see it, managers change it. */
@Kind({
  kind: 'DummyTeam',
  path: 'dummyteams',
  owner: ['$userId', 'admin'],
  groups: {
    member: [{ membership: 'DummyMembership' }],
    agent: [{ membership: 'DummyMembership', roles: STAFF }],
    manager: [{ membership: 'DummyMembership', roles: ['manager'] }],
  },
  view: ['owner', 'member'],
  create: ['owner'],
  write: ['owner', 'manager'],
})
export class DummyTeam extends RecordEntity {
  @Prop.string({
    required: true,
    length: 60,
    filterQualifier: true,
    view: ['public'],
    edit: ['owner', 'manager'],
  })
  name!: string;

  @Prop.string({ length: 60, filterQuery: true, view: ['owner'], edit: ['owner'] })
  plan!: string | null;

  @Prop.parent(MAKER)
  userId!: string;

  @Prop.children({ name: 'memberships', kind: 'DummyMembership', view: ['owner', 'member'] })
  memberships!: never;

  @Prop.children({ name: 'projects', kind: 'DummyProject', view: ['owner', 'member'] })
  projects!: never;
}

/** Opens a team to a user, who must have accepted it. */
@Kind({
  kind: 'DummyMembership',
  path: 'dummymemberships',
  membership: { user: 'memberId', record: 'teamId', role: 'role', until: 'until', accepted: 'accepted' },
  owner: ['^team'],
  groups: { holder: ['$memberId'], member: ['^team'], manager: ['^team'] },
  view: ['owner', 'member', 'holder'],
  create: ['owner', 'manager'],
  write: ['owner', 'manager', 'holder'],
})
export class DummyMembership extends RecordEntity {
  @Prop.parent({
    name: 'member',
    kind: 'User',
    required: true,
    createOnly: true,
    skipOwnerCheck: true,
    onDelete: 'cascade',
    view: ['public'],
    edit: ['owner', 'manager'],
    unique: true,
    uniqueQualifiers: ['teamId'],
  })
  memberId!: string;

  @Prop.parent({
    name: 'team',
    kind: 'DummyTeam',
    required: true,
    createOnly: true,
    attach: ['owner', 'manager'],
    onDelete: 'cascade',
    view: ['public'],
    edit: ['owner', 'manager'],
  })
  teamId!: string;

  @Prop.enum({
    required: true,
    enums: ['viewer', 'agent', 'manager'],
    enumLabels: ['Viewer', 'Agent', 'Manager'],
    default: 'viewer',
    filterQualifier: true,
    view: ['public'],
    edit: ['owner', 'manager'],
  })
  role!: string;

  @Prop.date({ view: ['public'], edit: ['owner', 'manager'] })
  until!: Date | null;

  @Prop.boolean({ enumLabels: ['Invited', 'Accepted'], default: false, view: ['public'], edit: ['holder'] })
  accepted!: boolean | null;
}

/** One step below a team. */
@Kind({
  kind: 'DummyProject',
  path: 'dummyprojects',
  owner: ['^team'],
  groups: { member: ['^team'], agent: ['^team'], manager: ['^team'] },
  view: ['owner', 'member'],
  create: ['owner', 'manager'],
  write: ['owner', 'manager'],
})
export class DummyProject extends RecordEntity {
  @Prop.string({
    required: true,
    length: 60,
    filterQuery: true,
    filterQualifier: true,
    view: ['public'],
    edit: ['owner', 'manager'],
  })
  name!: string;

  @Prop.int({
    filterQualifier: true,
    filterRange: true,
    view: ['owner', 'manager'],
    edit: ['owner', 'manager'],
  })
  budget!: number | null;

  @Prop.parent({
    name: 'team',
    kind: 'DummyTeam',
    required: true,
    attach: ['owner', 'manager'],
    onDelete: 'cascade',
    view: ['public'],
    edit: ['owner', 'manager'],
  })
  teamId!: string;

  @Prop.children({ name: 'issues', kind: 'DummyIssue', view: ['owner', 'member'] })
  issues!: never;
}

/** Two steps below a team, with an assignee who need not be a member. */
@Kind({
  kind: 'DummyIssue',
  path: 'dummyissues',
  owner: ['^project'],
  groups: {
    member: ['^project'],
    agent: ['^project'],
    assignee: ['$assigneeId'],
    staff: ['agent', 'assignee'],
  },
  view: ['owner', 'member', 'assignee'],
  create: ['owner', 'agent'],
  write: ['owner', 'staff'],
})
export class DummyIssue extends RecordEntity {
  @Prop.string({
    required: true,
    length: 60,
    filterQuery: true,
    view: ['public'],
    edit: ['owner', 'agent'],
  })
  title!: string;

  @Prop.enum({
    enums: ['open', 'closed'],
    enumLabels: ['Open', 'Closed'],
    default: 'open',
    filterQualifier: true,
    view: ['public'],
    edit: ['owner', 'staff'],
  })
  status!: string | null;

  /** Not for those who only look on. */
  @Prop.string({
    length: 256,
    filterQuery: true,
    filterQualifier: true,
    view: ['owner', 'agent'],
    edit: ['owner', 'agent'],
  })
  remark!: string | null;

  @Prop.int({ filterRange: true, filterQualifier: true, view: ['owner'], edit: ['owner'] })
  price!: number | null;

  @Prop.parent({
    name: 'project',
    kind: 'DummyProject',
    required: true,
    attach: ['owner', 'agent'],
    onDelete: 'cascade',
    view: ['public'],
    edit: ['owner', 'agent'],
  })
  projectId!: string;

  @Prop.parent({
    name: 'assignee',
    kind: 'User',
    skipOwnerCheck: true,
    onDelete: 'null',
    view: ['owner', 'member', 'assignee'],
    edit: ['owner', 'agent'],
  })
  assigneeId!: string | null;

  @Prop.children({ name: 'comments', kind: 'DummyComment', view: ['owner', 'member', 'assignee'] })
  comments!: never;
}

/** Three steps below; every member may write one. */
@Kind({
  kind: 'DummyComment',
  path: 'dummycomments',
  owner: ['$userId', '^issue'],
  groups: { member: ['^issue'], assignee: ['^issue'] },
  view: ['owner', 'member', 'assignee'],
  create: ['owner', 'member', 'assignee'],
})
export class DummyComment extends RecordEntity {
  @Prop.string({ required: true, length: 256, filterQuery: true, view: ['public'], edit: ['owner'] })
  text!: string;

  @Prop.parent(MAKER)
  userId!: string;

  @Prop.parent({
    name: 'issue',
    kind: 'DummyIssue',
    required: true,
    attach: ['owner', 'member', 'assignee'],
    onDelete: 'cascade',
    view: ['public'],
    edit: ['owner', 'member', 'assignee'],
  })
  issueId!: string;
}

/** Modules of all of them. */
export const TEAM_KINDS: readonly Type[] = [
  testModule(DummyTeam),
  testModule(DummyMembership),
  testModule(DummyProject),
  testModule(DummyIssue),
  testModule(DummyComment),
];
