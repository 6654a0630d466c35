import { Get, GoneException, Header, Injectable, Module, Param, Put, type Type } from '@nestjs/common';
import { Access } from '../../src/http/access.decorator.js';
import { Caller } from '../../src/http/param-decorators.js';
import { conflict, invalid } from '../../src/common/errors.js';
import { Describe } from '../../src/openapi-model/operation.decorator.js';
import type { ChangeSet } from '../../src/record/write/change-set.js';
import { Kind } from '../../src/record/schema/kind.js';
import { Prop } from '../../src/record/schema/prop.js';
import type { RecordResponse } from '../../src/record/response/record-response.js';
import { KindController, RecordController } from '../../src/record/record.controller.js';
import { RecordEngine } from '../../src/record/record-engine.js';
import { RecordEntity } from '../../src/record/record.entity.js';
import { RecordService, type WriteRequest } from '../../src/record/record.service.js';
import { MAKER, testModule } from './define.js';

/*
 * Kinds of which records can't be made at will, as users declare them: the suites that walk all kinds must get on with them.
 */

const PUBLIC = { view: ['public'], edit: ['owner'] } as const;

/** Who is in what: two parents that are unique together. */
@Kind({
  kind: 'DummyMember',
  path: 'dummymembers',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
})
export class DummyMember extends RecordEntity {
  @Prop.parent({
    name: 'member',
    kind: 'User',
    required: true,
    onDelete: 'cascade',
    skipOwnerCheck: true,
    ...PUBLIC,
  })
  memberId!: string;

  @Prop.parent({
    name: 'invoice',
    kind: 'DummyInvoice',
    required: true,
    onDelete: 'cascade',
    unique: true,
    uniqueQualifiers: ['memberId'],
    ...PUBLIC,
  })
  invoiceId!: string;

  @Prop.parent(MAKER)
  userId!: string;
}

/** One for each user. */
@Kind({
  kind: 'DummyProfile',
  path: 'dummyprofiles',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
})
export class DummyProfile extends RecordEntity {
  @Prop.string({ length: 30, filterQuery: true, ...PUBLIC })
  note!: string | null;

  @Prop.parent({ ...MAKER, unique: true })
  userId!: string;
}

/** One for each parent, through which it is owned; and an enum of which each value is there once at most. */
@Kind({ kind: 'DummyBadge', path: 'dummybadges', owner: ['^invoice'], view: ['public'], create: ['owner'] })
export class DummyBadge extends RecordEntity {
  @Prop.parent({
    name: 'invoice',
    kind: 'DummyInvoice',
    required: true,
    onDelete: 'cascade',
    unique: true,
    ...PUBLIC,
  })
  invoiceId!: string;

  @Prop.enum({
    enums: ['gold', 'tin'],
    enumLabels: ['Gold', 'Tin'],
    unique: true,
    filterQualifier: true,
    ...PUBLIC,
  })
  metal!: string | null;

  /** One that no other badge has as its twin. */
  @Prop.parent({
    name: 'twin',
    kind: 'DummyBadge',
    onDelete: 'null',
    unique: true,
    skipOwnerCheck: true,
    ...PUBLIC,
  })
  twinId!: string | null;
}

/** As many as an enum has values, in all. */
@Kind({
  kind: 'DummySeat',
  path: 'dummyseats',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
})
export class DummySeat extends RecordEntity {
  @Prop.enum({ enums: ['a', 'b', 'c'], enumLabels: ['A', 'B', 'C'], required: true, unique: true, ...PUBLIC })
  row!: string;

  @Prop.parent(MAKER)
  userId!: string;
}

/** A hook refuses values that the declaration allows: dummy-booking.values.ts. */
@Kind({
  kind: 'DummyBooking',
  path: 'dummybookings',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
})
export class DummyBooking extends RecordEntity {
  @Prop.string({ length: 20, required: true, unique: true, uniqueCaseInsensitive: true, ...PUBLIC })
  code!: string;

  @Prop.date({ required: true, filterRange: true, ...PUBLIC })
  starts!: Date;

  @Prop.date(PUBLIC)
  ends!: Date | null;

  @Prop.parent(MAKER)
  userId!: string;
}

@Injectable()
class DummyBookingService extends RecordService {
  constructor(engine: RecordEngine) {
    super(engine, DummyBooking);
  }

  override beforeSave({ values, before }: ChangeSet): Promise<void> {
    const { code, starts, ends } = { ...before, ...Object.fromEntries(values) } as Record<string, unknown>;
    const time = (value: unknown) => new Date(value as string).getTime();
    if (!/^B-\d+$/.test(String(code))) throw invalid('code', 'code is B- and a number.');
    if (!ends || time(ends) <= time(starts)) throw invalid('ends', 'ends comes after starts.');
    return Promise.resolve();
  }
}

/** Hooks refuse everything (dummy-ticket.values.ts); and there are routes that no kind has otherwise. */
@Kind({
  kind: 'DummyTicket',
  path: 'dummytickets',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
})
export class DummyTicket extends RecordEntity {
  @Prop.enum({
    enums: ['open', 'closed'],
    enumLabels: ['Open', 'Closed'],
    required: true,
    default: 'open',
    ...PUBLIC,
  })
  state!: string;

  @Prop.parent(MAKER)
  userId!: string;
}

@Injectable()
class DummyTicketService extends RecordService {
  constructor(engine: RecordEngine) {
    super(engine, DummyTicket);
  }

  override beforeSave(): Promise<void> {
    throw conflict('The office is closed.');
  }

  override beforeRemove(): Promise<void> {
    throw conflict('The office is closed.');
  }
}

@KindController(DummyTicket)
class DummyTicketController extends RecordController {
  constructor(protected readonly service: DummyTicketService) {
    super();
  }

  @Put(':id/close')
  @Access('login')
  @Describe({
    id: 'closeDummyTicket',
    summary: 'Close a ticket',
    response: { record: 'DummyTicket' },
    errors: ['notFound', 'conflict'],
  })
  close(@Param('id') id: string, @Caller() caller: WriteRequest): Promise<RecordResponse> {
    return this.service.update(id, { state: 'closed' }, caller);
  }

  @Put(':id/reopen')
  @Access('login')
  @Describe({
    id: 'reopenDummyTicket',
    summary: 'Open a ticket again',
    response: { record: 'DummyTicket' },
    errors: [410],
  })
  reopen(@Param('id') id: string): never {
    throw new GoneException({ message: 'A ticket is closed for good.', data: { id } });
  }

  @Get('export')
  @Header('content-type', 'text/csv; charset=utf-8')
  @Describe({ id: 'exportDummyTickets', summary: 'All tickets', response: { bytes: 'text/csv' } })
  export(): string {
    return 'id\n';
  }
}

@Module({ controllers: [DummyTicketController], providers: [DummyTicketService] })
class DummyTicketModule {}

/** Modules of kinds whose declarations are unusual. */
export const AWKWARD_KINDS: readonly Type[] = [
  testModule(DummyMember),
  testModule(DummyProfile),
  testModule(DummyBadge),
  testModule(DummySeat),
  testModule(DummyBooking, DummyBookingService),
  DummyTicketModule,
];
