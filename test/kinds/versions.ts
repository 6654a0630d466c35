import { Controller, Module, type Type } from '@nestjs/common';
import '../../src/app.module.js'; // all kinds and versions of the project
import { ApiKeyController } from '../../src/kinds/api-key/api-key.controller.js';
import { ApiKey } from '../../src/kinds/api-key/api-key.entity.js';
import { ApiKeyService } from '../../src/kinds/api-key/api-key.service.js';
import { CronJobController } from '../../src/kinds/cron-job/cron-job.controller.js';
import { CronJob } from '../../src/kinds/cron-job/cron-job.entity.js';
import { CronJobService } from '../../src/kinds/cron-job/cron-job.service.js';
import { CronRunController } from '../../src/kinds/cron-run/cron-run.controller.js';
import { CronRun } from '../../src/kinds/cron-run/cron-run.entity.js';
import { CronRunService } from '../../src/kinds/cron-run/cron-run.service.js';
import { ObjectFileController } from '../../src/kinds/object-file/object-file.controller.js';
import { ObjectFile } from '../../src/kinds/object-file/object-file.entity.js';
import { ObjectFileModule } from '../../src/kinds/object-file/object-file.module.js';
import { ObjectFileService } from '../../src/kinds/object-file/object-file.service.js';
import { AvatarImageController } from '../../src/kinds/user/avatar-image.controller.js';
import { UserController } from '../../src/kinds/user/user.controller.js';
import { User } from '../../src/kinds/user/user.entity.js';
import { UserService } from '../../src/kinds/user/user.service.js';
import { versionNumber } from '../../src/common/api-path.js';
import { Kind, kindOf, registeredVersions } from '../../src/record/schema/kind.js';
import { KindVersion } from '../../src/record/schema/kind-version.js';
import { Prop } from '../../src/record/schema/prop.js';
import { KindController } from '../../src/record/record.controller.js';
import { RecordEntity } from '../../src/record/record.entity.js';
import { RecordModule } from '../../src/record/record.module.js';
import { SessionController } from '../../src/auth/session.controller.js';
import { Session } from '../../src/auth/session.entity.js';
import { SessionModule } from '../../src/auth/session.module.js';
import { SessionStoreModule } from '../../src/auth/session-store.module.js';
import { SchedulerModule } from '../../src/scheduler/scheduler.module.js';
import { SessionService } from '../../src/auth/session.service.js';
import { TestController } from '../../src/test-endpoint/test.controller.js';
import { MAKER, plainService, testModule } from './define.js';

/*
 * Two kinds that a later version of the API changes as far as a kind can be changed, and the built-in ones in a version that
 * is like the first.
 */

/** The version after the newest that the project has. */
export const LATER = `v${Math.max(...registeredVersions().map(versionNumber)) + 1}`;

const PUBLIC = { view: ['public'], edit: ['owner'] } as const;

/** A shelf of books. */
@Kind({
  kind: 'DummyShelf',
  path: 'dummyshelves',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
})
export class DummyShelf extends RecordEntity {
  @Prop.parent(MAKER)
  userId!: string;

  @Prop.string({ length: 60, required: true, filterQuery: true, ...PUBLIC })
  label!: string;

  @Prop.children({ name: 'books', kind: 'DummyBook', view: ['public'] })
  books!: never;
}

/** A book on a shelf. */
@Kind({ kind: 'DummyBook', path: 'dummybooks', owner: ['^shelf'], view: ['public'], create: ['owner'] })
export class DummyBook extends RecordEntity {
  @Prop.parent({ name: 'shelf', kind: 'DummyShelf', required: true, onDelete: 'cascade', ...PUBLIC })
  shelfId!: string;

  @Prop.string({
    length: 60,
    required: true,
    unique: true,
    filterQuery: true,
    filterQualifier: true,
    ...PUBLIC,
  })
  title!: string;

  @Prop.int({ min: 0, filterQualifier: true, filterRange: true, ...PUBLIC })
  price!: number | null;

  @Prop.string({ length: 60, filterQuery: true, filterQualifier: true, ...PUBLIC })
  note!: string | null;

  @Prop.enum({
    enums: ['new', 'used'],
    enumLabels: ['New', 'Used'],
    required: true,
    default: 'new',
    filterQualifier: true,
    ...PUBLIC,
  })
  state!: string;
}

/** Its list has another name. */
@KindVersion(LATER, { without: ['books'] })
class DummyShelfLater extends DummyShelf {
  @Prop.children({ name: 'volumes', kind: 'DummyBook', view: ['public'] })
  volumes!: never;
}

/** Another path; a prop less, one for owners alone, one of another name, a new one; a stricter length. */
@KindVersion(LATER, { path: 'dummyvolumes', without: ['note'] })
class DummyBookLater extends DummyBook {
  @Prop.string({
    column: 'title',
    length: 20,
    required: true,
    unique: true,
    filterQuery: true,
    filterQualifier: true,
    ...PUBLIC,
  })
  headline!: string;

  @Prop.int({ min: 0, filterQualifier: true, filterRange: true, view: ['owner'], edit: ['owner'] })
  declare price: number | null;

  @Prop.int({ filterRange: true, ...PUBLIC })
  rating!: number | null;
}

const ENTITIES = [User, ApiKey, ObjectFile, CronJob, CronRun, Session] as const;
const CONTROLLERS: readonly [Type, (typeof ENTITIES)[number]][] = [
  [UserController, User],
  [AvatarImageController, User],
  [ApiKeyController, ApiKey],
  [ObjectFileController, ObjectFile],
  [CronJobController, CronJob],
  [CronRunController, CronRun],
  [SessionController, Session],
];

const isKnown = (kind: string) => ENTITIES.some((entity) => kindOf(entity).kind === kind);
const later = new Map(ENTITIES.map((entity) => [entity, laterOf(entity)]));

function laterOf(entity: (typeof ENTITIES)[number]): typeof entity {
  class Later extends (entity as new () => RecordEntity) {}
  // What the project's own kinds have added to these.
  const without = kindOf(entity).props.filter(({ relation }) => relation && !isKnown(relation.kind));
  KindVersion(LATER, { without: without.map(({ name }) => name) })(Later);
  return Later as typeof entity;
}

function controllerOf(controller: Type, entity: (typeof ENTITIES)[number]): Type {
  class Later extends (controller as new (...parts: unknown[]) => object) {}
  KindController(later.get(entity) ?? entity)(Later);
  return Later;
}

/** What is gone from users: `whoami`, by overriding it without a route. */
class UserControllerLater extends UserController {
  override whoami(): never {
    throw new Error('There is no such route.');
  }
}
KindController(later.get(User) ?? User)(UserControllerLater);

@Controller({ path: 'test', version: LATER })
class TestControllerLater extends TestController {}

const LATER_RECORDS = RecordModule.forVersion(LATER);

@Module({
  imports: [LATER_RECORDS, ObjectFileModule, SchedulerModule, SessionModule, SessionStoreModule],
  controllers: [
    UserControllerLater,
    ...CONTROLLERS.slice(1).map(([controller, entity]) => controllerOf(controller, entity)),
    TestControllerLater,
  ],
  providers: [UserService, ApiKeyService, ObjectFileService, CronJobService, CronRunService, SessionService],
})
class LaterModule {}

/** The modules of version 1 and of version 2. */
export const FIRST = [testModule(DummyShelf), testModule(DummyBook)];
/** Modules of the same kinds with a second version. */
export const SECOND = [
  LaterModule,
  ...[DummyShelfLater, DummyBookLater].map((entity) =>
    testModule(entity, plainService(entity), [LATER_RECORDS]),
  ),
];
