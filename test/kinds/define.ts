import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { EntityClass } from '../../src/record/schema/kind-def.js';
import { KindController, RecordController } from '../../src/record/record.controller.js';
import { RecordEngine } from '../../src/record/record-engine.js';
import { RecordService } from '../../src/record/record.service.js';

/** The parent of a kind that belongs to whoever makes it: `@Prop.parent(MAKER) userId!: string`. */
export const MAKER = {
  name: 'user',
  kind: 'User',
  required: true,
  onDelete: 'cascade',
  view: ['public'],
  edit: [],
} as const;

/** A service for a kind without hooks of its own. */
export function plainService(entity: EntityClass): Type<RecordService> {
  class PlainService extends RecordService {
    constructor(engine: RecordEngine) {
      super(engine, entity);
    }
  }
  Reflect.defineMetadata('design:paramtypes', [RecordEngine], PlainService);
  return PlainService;
}

/** Module, controller and (unless given) service of a test-only kind: what a real kind spells out in its files. */
export function testModule(
  entity: EntityClass,
  service: Type<RecordService> = plainService(entity),
  imports: readonly DynamicModule[] = [],
): Type {
  class TestController extends RecordController {
    constructor(protected readonly service: RecordService) {
      super();
    }
  }
  Reflect.defineMetadata('design:paramtypes', [service], TestController);
  KindController(entity)(TestController);
  class TestKindModule {}
  Module({ imports: [...imports], controllers: [TestController], providers: [service] })(TestKindModule);
  return TestKindModule;
}
