import { Controller, Module, type Type } from '@nestjs/common';
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
import { Kind } from '../../src/record/kind.js';
import { KindVersion } from '../../src/record/kind-version.js';
import { Prop } from '../../src/record/prop.js';
import { KindController } from '../../src/record/record.controller.js';
import { RecordEntity } from '../../src/record/record.entity.js';
import { RecordModule } from '../../src/record/record.module.js';
import { SessionController } from '../../src/session/session.controller.js';
import { Session } from '../../src/session/session.entity.js';
import { SessionModule } from '../../src/session/session.module.js';
import { SessionService } from '../../src/session/session.service.js';
import { TestController } from '../../src/test-endpoint/test.controller.js';
import { MAKER, plainService, testModule } from './define.js';

/*
 * Two kinds that version 2 of the API changes as far as a kind can be changed, and the built-in ones in a version 2 that
 * is like the first.
 */

const PUBLIC = { view: ['public'], edit: ['owner'] } as const;

@Kind({ kind: 'DummyShelf', path: 'dummyshelves', owner: ['$userId', 'admin'] })
export class DummyShelf extends RecordEntity {
  @Prop.parent(MAKER)
  userId!: string;

  @Prop.string({ length: 60, required: true, filterQuery: true, ...PUBLIC })
  label!: string;

  @Prop.children({ name: 'books', kind: 'DummyBook', view: ['public'] })
  books!: never;
}

@Kind({ kind: 'DummyBook', path: 'dummybooks', owner: ['^shelf'] })
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
@KindVersion('v2', { without: ['books'] })
class DummyShelfV2 extends DummyShelf {
  @Prop.children({ name: 'volumes', kind: 'DummyBook', view: ['public'] })
  volumes!: never;
}

/** Another path; a prop less, one for owners alone, one of another name, a new one; a stricter length. */
@KindVersion('v2', { path: 'dummyvolumes', without: ['note'] })
class DummyBookV2 extends DummyBook {
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

const later = new Map(ENTITIES.map((entity) => [entity, laterOf(entity)]));

function laterOf(entity: (typeof ENTITIES)[number]): typeof entity {
  class Later extends (entity as new () => RecordEntity) {}
  KindVersion('v2')(Later);
  return Later as typeof entity;
}

function controllerOf(controller: Type, entity: (typeof ENTITIES)[number]): Type {
  class Later extends (controller as new (...parts: unknown[]) => object) {}
  KindController(later.get(entity) ?? entity)(Later);
  return Later;
}

/** What is gone from users: `whoami`, by overriding it without a route. */
class UserControllerV2 extends UserController {
  override whoami(): never {
    throw new Error('There is no such route.');
  }
}
KindController(later.get(User) ?? User)(UserControllerV2);

@Controller({ path: 'test', version: 'v2' })
class TestControllerV2 extends TestController {}

const V2_RECORDS = RecordModule.forVersion('v2');

@Module({
  imports: [V2_RECORDS, ObjectFileModule, SessionModule],
  controllers: [
    UserControllerV2,
    ...CONTROLLERS.slice(1).map(([controller, entity]) => controllerOf(controller, entity)),
    TestControllerV2,
  ],
  providers: [UserService, ApiKeyService, ObjectFileService, CronJobService, CronRunService, SessionService],
})
class V2Module {}

/** The modules of version 1 and of version 2. */
export const FIRST = [testModule(DummyShelf), testModule(DummyBook)];
export const SECOND = [
  V2Module,
  ...[DummyShelfV2, DummyBookV2].map((entity) => testModule(entity, plainService(entity), [V2_RECORDS])),
];
