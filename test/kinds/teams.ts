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

  @Prop.children({ name: 'efforts', kind: 'DummyEffort', view: ['owner', 'agent'] })
  efforts!: never;

  @Prop.children({ name: 'verdicts', kind: 'DummyVerdict', view: ['owner', 'assignee'] })
  verdicts!: never;
}

/** Three steps below; every member may write one. Agents add what not even its owner sees. */
@Kind({
  kind: 'DummyComment',
  path: 'dummycomments',
  owner: ['$userId', '^issue'],
  groups: { member: ['^issue'], agent: ['^issue'], assignee: ['^issue'] },
  view: ['owner', 'member', 'assignee'],
  create: ['owner', 'member', 'assignee'],
})
export class DummyComment extends RecordEntity {
  @Prop.string({ required: true, length: 256, filterQuery: true, view: ['public'], edit: ['owner'] })
  text!: string;

  @Prop.string({ length: 60, filterQuery: true, filterQualifier: true, view: ['agent'], edit: ['agent'] })
  aside!: string | null;

  @Prop.int({ filterQualifier: true, filterRange: true, view: ['agent'], edit: ['agent'] })
  rank!: number | null;

  @Prop.enum({
    enums: ['calm', 'cross'],
    enumLabels: ['Calm', 'Cross'],
    default: 'calm',
    filterQualifier: true,
    view: ['agent'],
    edit: ['agent'],
  })
  mood!: string | null;

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

/** Time spent on an issue: its owner may create a record on paper, but only a group sets what it needs, and changes it. */
@Kind({
  kind: 'DummyEffort',
  path: 'dummyefforts',
  owner: ['^issue'],
  groups: { agent: ['^issue'], worker: ['$workerId'] },
  view: ['owner', 'agent', 'worker'],
  create: ['owner', 'agent'],
  write: ['agent', 'worker'],
})
export class DummyEffort extends RecordEntity {
  @Prop.int({
    required: true,
    min: 1,
    max: 1440,
    filterRange: true,
    view: ['owner', 'agent', 'worker'],
    edit: ['agent', 'worker'],
  })
  minutes!: number;

  @Prop.parent({
    name: 'issue',
    kind: 'DummyIssue',
    required: true,
    createOnly: true,
    attach: ['owner', 'agent'],
    onDelete: 'cascade',
    view: ['public'],
    edit: ['owner', 'agent'],
  })
  issueId!: string;

  @Prop.parent({
    name: 'worker',
    kind: 'User',
    required: true,
    skipOwnerCheck: true,
    onDelete: 'cascade',
    view: ['public'],
    edit: ['owner', 'agent'],
  })
  workerId!: string;
}

/** What an assignee says of an issue, once: its owner may change the record, but not what it needs. */
@Kind({
  kind: 'DummyVerdict',
  path: 'dummyverdicts',
  owner: ['^issue'],
  groups: { assignee: ['^issue'] },
  view: ['owner', 'assignee'],
  create: ['owner', 'assignee'],
  write: ['owner', 'assignee'],
})
export class DummyVerdict extends RecordEntity {
  @Prop.int({
    required: true,
    min: 1,
    max: 5,
    filterRange: true,
    view: ['owner', 'assignee'],
    edit: ['assignee'],
  })
  stars!: number;

  @Prop.string({ length: 60, filterQuery: true, view: ['public'], edit: ['owner'] })
  reply!: string | null;

  @Prop.parent({
    name: 'issue',
    kind: 'DummyIssue',
    required: true,
    createOnly: true,
    unique: true,
    attach: ['owner', 'assignee'],
    onDelete: 'cascade',
    view: ['public'],
    edit: ['owner', 'assignee'],
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
  testModule(DummyEffort),
  testModule(DummyVerdict),
];
