import { Injectable, type Type } from '@nestjs/common';
import { URL_FORMAT } from '../../src/record/schema/formats.js';
import { Kind } from '../../src/record/schema/kind.js';
import type { OptionSource } from '../../src/record/response/options.js';
import { Prop } from '../../src/record/schema/prop.js';
import { RecordEngine } from '../../src/record/record-engine.js';
import { RecordEntity } from '../../src/record/record.entity.js';
import { type ExtraSource, RecordService } from '../../src/record/record.service.js';
import { AWKWARD_KINDS } from './awkward.js';
import { testModule } from './define.js';
import { TEAM_KINDS } from './teams.js';

/*
 * Kinds for tests alone: together they use every attribute that no built-in kind uses.
 */

/** One prop of every type, visible in every way; owned by a user who may be nobody. */
@Kind({
  kind: 'DummyThing',
  path: 'dummythings',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
  base: { id: { allowRealPubicId: true, filterQualifier: true }, createdAt: { filterQualifier: true } },
})
export class DummyThing extends RecordEntity {
  @Prop.string({ length: 60, filterQuery: true, filterQualifier: true, view: ['public'], edit: ['owner'] })
  name!: string | null;

  @Prop.string({ length: 65535, filterQuery: true, filterQualifier: true, view: ['public'], edit: ['owner'] })
  note!: string | null;

  /** Owners only. */
  @Prop.string({ length: 4000, filterQuery: true, filterQualifier: true, view: ['owner'], edit: ['owner'] })
  secret!: string | null;

  /** Nobody ever, not even owners. */
  @Prop.string({ length: 4000, view: [], edit: [] })
  hiddenNote!: string | null;

  /** A role that nobody has in these tests, so not even owners and administrators. */
  @Prop.string({
    length: 4000,
    filterQuery: true,
    filterQualifier: true,
    view: ['verifiedEmail'],
    edit: [],
  })
  guarded!: string | null;

  /** Developers only, wherever. */
  @Prop.int({
    min: -1000,
    max: 1_000_000_000_000,
    filterQualifier: true,
    filterRange: true,
    view: ['developer'],
    edit: ['owner', 'developer'],
  })
  score!: number | null;

  @Prop.int({ filterQualifier: true, filterRange: true, view: ['public'], edit: ['owner'] })
  amount!: number | null;

  @Prop.enum({
    enums: ['red', 'green', 'blue'],
    enumLabels: ['Red', 'Green', 'Blue'],
    default: 'red',
    filterQuery: true,
    filterQualifier: true,
    view: ['public'],
    edit: ['owner'],
  })
  colour!: string | null;

  @Prop.boolean({
    enumLabels: ['Off', 'On'],
    default: false,
    filterQualifier: true,
    view: ['public'],
    edit: ['owner'],
  })
  active!: boolean | null;

  @Prop.date({ filterQualifier: true, filterRange: true, view: ['public'], edit: ['owner'] })
  due!: Date | null;

  /** Set by every update. */
  @Prop.date({ autoUpdate: true, filterRange: true, view: ['public'], edit: [] })
  touchedAt!: Date | null;

  @Prop.json({ view: ['public'], edit: ['owner'] })
  data!: unknown;

  @Prop.string({ length: 256, format: URL_FORMAT, view: ['public'], edit: ['owner'] })
  url!: string | null;

  /** Editable on paper, but only by code that sets it explicitly. */
  @Prop.string({ length: 60, noSetAll: true, view: ['public'], edit: ['owner'] })
  stamp!: string | null;

  @Prop.parent({
    name: 'user',
    kind: 'User',
    onDelete: 'cascade',
    allowRealPubicId: true,
    view: ['public'],
    edit: ['owner'],
  })
  userId!: string | null;

  /** A relation that only owners may know of. */
  @Prop.parent({
    name: 'buddy',
    kind: 'User',
    onDelete: 'null',
    skipOwnerCheck: true,
    view: ['owner'],
    edit: ['owner'],
  })
  buddyId!: string | null;
}

/** `name` is unique within `category`; anybody who is logged in may create. */
@Kind({
  kind: 'DummyItem',
  path: 'dummyitems',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
})
export class DummyItem extends RecordEntity {
  @Prop.string({
    required: true,
    length: 60,
    unique: true,
    uniqueQualifiers: ['category'],
    view: ['public'],
    edit: ['owner'],
  })
  name!: string;

  @Prop.string({
    length: 20,
    unique: true,
    uniqueCaseInsensitive: true,
    filterQualifier: true,
    view: ['public'],
    edit: ['owner'],
  })
  code!: string | null;

  @Prop.enum({
    required: true,
    enums: ['Food', 'Armor'],
    enumLabels: ['Food', 'Armor'],
    filterQualifier: true,
    view: ['public'],
    edit: ['owner'],
  })
  category!: string;

  /** A dynamic option list. */
  @Prop.string({ length: 60, options: 'shelves', view: ['public'], edit: ['owner'] })
  shelf!: string | null;

  @Prop.parent({ name: 'user', kind: 'User', onDelete: 'cascade', view: ['public'], edit: [] })
  userId!: string | null;

  /** Whose record is hidden from all but its owners, so that to see it is to own it. */
  @Prop.parent({
    name: 'receipt',
    kind: 'DummyInvoice',
    onDelete: 'null',
    skipOwnerCheck: true,
    view: ['owner'],
    edit: ['owner'],
  })
  receiptId!: string | null;
}

/** Offers lists of options that it makes itself. */
@Injectable()
export class DummyItemService extends RecordService {
  override readonly optionSources = new Map<string, OptionSource>([
    [
      'shelves',
      () =>
        Promise.resolve([
          { label: 'Top shelf', value: 'top' },
          { label: 'Bottom shelf', value: 'bottom' },
        ]),
    ],
  ]);
  override readonly extras = new Map<string, ExtraSource>([
    ['shout', (rows) => Promise.resolve(rows.map((row) => String(row.name).toUpperCase()))],
  ]);

  constructor(engine: RecordEngine) {
    super(engine, DummyItem);
  }
}

/** Private to its owner and admins. */
@Kind({
  kind: 'DummyInvoice',
  path: 'dummyinvoices',
  owner: ['$userId', 'admin'],
  view: ['owner'],
  create: ['owner'],
})
export class DummyInvoice extends RecordEntity {
  @Prop.string({
    required: true,
    length: 4000,
    filterQuery: true,
    filterQualifier: true,
    view: ['owner'],
    edit: ['owner'],
  })
  title!: string;

  @Prop.parent({
    name: 'user',
    kind: 'User',
    required: true,
    onDelete: 'cascade',
    view: ['owner'],
    edit: ['owner'],
  })
  userId!: string;

  @Prop.children({ name: 'lineItems', kind: 'DummyLineItem', view: ['owner'] })
  lineItems!: never;

  @Prop.children({ name: 'items', kind: 'DummyItem', view: ['owner'] })
  items!: never;
}

/** Owned by whoever owns its invoice; its rows are public. */
@Kind({
  kind: 'DummyLineItem',
  path: 'dummylineitems',
  owner: ['^invoice'],
  view: ['public'],
  create: ['owner'],
})
export class DummyLineItem extends RecordEntity {
  @Prop.string({ length: 60, filterQuery: true, filterQualifier: true, view: ['public'], edit: ['owner'] })
  label!: string | null;

  @Prop.int({ min: 0, filterQualifier: true, filterRange: true, view: ['owner'], edit: ['owner'] })
  price!: number | null;

  @Prop.parent({
    name: 'invoice',
    kind: 'DummyInvoice',
    onDelete: 'cascade',
    view: ['public'],
    edit: ['owner'],
  })
  invoiceId!: string | null;

  @Prop.children({ name: 'remarks', kind: 'DummyRemark', view: ['public'] })
  remarks!: never;
}

/** Owned two steps up; rows visible to owners alone. */
@Kind({ kind: 'DummyRemark', path: 'dummyremarks', owner: ['^lineItem'], view: ['owner'], create: ['owner'] })
export class DummyRemark extends RecordEntity {
  @Prop.string({ required: true, length: 256, filterQuery: true, view: ['owner'], edit: ['owner'] })
  text!: string;

  @Prop.parent({
    name: 'lineItem',
    kind: 'DummyLineItem',
    required: true,
    onDelete: 'cascade',
    view: ['owner'],
    edit: ['owner'],
  })
  lineItemId!: string;
}

/** Records of the house: developers make them, admins own them, everybody logged in under a role sees them. */
@Kind({
  kind: 'DummyTopic',
  path: 'dummytopics',
  owner: ['admin'],
  view: ['admin', 'developer'],
  create: ['developer', 'admin'],
})
export class DummyTopic extends RecordEntity {
  @Prop.string({
    required: true,
    length: 60,
    unique: true,
    filterQuery: true,
    filterQualifier: true,
    view: ['developer', 'admin'],
    edit: ['owner'],
  })
  title!: string;

  @Prop.int({
    required: true,
    default: 1,
    min: 1,
    max: 9,
    filterRange: true,
    view: ['admin'],
    edit: ['admin'],
  })
  weight!: number;

  /** Restricts: a thing that a topic is about can't be deleted. */
  @Prop.parent({
    name: 'thing',
    kind: 'DummyThing',
    onDelete: 'restrict',
    skipOwnerCheck: true,
    view: ['developer', 'admin'],
    edit: ['owner'],
  })
  thingId!: string | null;
}

/** Modules of all test-only kinds, for startTestService({ kinds: TEST_KINDS, template: 'kinds' }). */
export const TEST_KINDS: readonly Type[] = [
  testModule(DummyThing),
  testModule(DummyItem, DummyItemService),
  testModule(DummyInvoice),
  testModule(DummyLineItem),
  testModule(DummyRemark),
  testModule(DummyTopic),
  ...AWKWARD_KINDS,
  ...TEAM_KINDS,
];
