import { Injectable, Module } from '@nestjs/common';
import { Kind } from '../src/record/schema/kind.js';
import { Prop } from '../src/record/schema/prop.js';
import { KindController, RecordController } from '../src/record/record.controller.js';
import { RecordEngine } from '../src/record/record-engine.js';
import { RecordEntity } from '../src/record/record.entity.js';
import { RecordService } from '../src/record/record.service.js';
import { STATUSES } from './constants.js';

/*
 * The kind that is measured: what one would write for a first kind, entity, service, controller and module, here in
 * one file. Its name keeps clear of a kind Article that the service may have.
 */

@Kind({
  kind: 'DummyArticle',
  path: 'dummyarticles',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
})
export class Article extends RecordEntity {
  @Prop.string({ required: true, length: 120, filterQuery: true, view: ['public'], edit: ['owner'] })
  title!: string;

  @Prop.string({ length: 65535, view: ['public'], edit: ['owner'] })
  body!: string | null;

  @Prop.enum({
    required: true,
    default: 'draft',
    enums: STATUSES,
    enumLabels: ['Draft', 'Published', 'Archived'],
    filterQualifier: true,
    view: ['public'],
    edit: ['owner'],
  })
  status!: (typeof STATUSES)[number];

  @Prop.int({ required: true, default: 0, min: 0, filterRange: true, view: ['public'], edit: ['owner'] })
  views!: number;

  /** Owners only: each answer must decide whether it may show it. */
  @Prop.string({ length: 256, view: ['owner'], edit: ['owner'] })
  editorNote!: string | null;

  @Prop.parent({
    name: 'user',
    kind: 'User',
    required: true,
    onDelete: 'cascade',
    view: ['public'],
    edit: ['owner'],
  })
  userId!: string;
}

@Injectable()
export class ArticleService extends RecordService {
  constructor(engine: RecordEngine) {
    super(engine, Article);
  }
}

@KindController(Article)
export class ArticleController extends RecordController {
  constructor(protected readonly service: ArticleService) {
    super();
  }
}

@Module({ controllers: [ArticleController], providers: [ArticleService] })
export class ArticleModule {}
