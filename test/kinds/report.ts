import { Body, Injectable, Module, Param, Put } from '@nestjs/common';
import { Caller } from '../../src/http/param-decorators.js';
import { FileImports } from '../../src/files/file-imports.js';
import { ObjectFileModule } from '../../src/kinds/object-file/object-file.module.js';
import { Kind } from '../../src/record/schema/kind.js';
import { Prop } from '../../src/record/schema/prop.js';
import { KindController, RecordController } from '../../src/record/record.controller.js';
import { RecordEngine } from '../../src/record/record-engine.js';
import { RecordEntity } from '../../src/record/record.entity.js';
import { RecordService, type WriteRequest } from '../../src/record/record.service.js';
import { MAKER } from './define.js';
import type { TestServiceOptions } from '../support/service.js';

/* A kind that holds files of many types, as docs/kinds.md tells to write it. */

const ACCEPTED = [
  'png',
  'jpg',
  'jpeg',
  'gif',
  'pdf',
  'zip',
  'txt',
  'html',
  'json',
  'svg',
  'csv',
  'm4a',
  'ts',
];

@Kind({
  kind: 'DummyReport',
  path: 'dummyreports',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
})
class DummyReport extends RecordEntity {
  @Prop.parent(MAKER)
  userId!: string;

  @Prop.parent({
    name: 'file',
    kind: 'ObjectFile',
    acceptedFileExtensions: ACCEPTED,
    onDelete: 'null',
    view: ['public'],
    edit: ['owner'],
  })
  fileId!: string | null;
}

@Injectable()
class DummyReportService extends RecordService {
  constructor(
    engine: RecordEngine,
    private readonly imports: FileImports,
  ) {
    super(engine, DummyReport);
  }

  async importFile(id: string, body: unknown, request: WriteRequest) {
    this.writable(request.viewer, await this.load(id));
    const relation = this.parent('file');
    return this.imports.run({ relation, body, viewer: request.viewer, cover: null }, (file) =>
      this.update(id, { fileId: file.id }, request, file.keep),
    );
  }
}

@KindController(DummyReport)
class DummyReportController extends RecordController {
  constructor(protected readonly service: DummyReportService) {
    super();
  }

  @Put(':id/import-file')
  importFile(@Param('id') id: string, @Body() body: unknown, @Caller() caller: WriteRequest) {
    return this.service.importFile(id, body, caller);
  }
}

@Module({
  imports: [ObjectFileModule],
  controllers: [DummyReportController],
  providers: [DummyReportService],
})
class DummyReportModule {}

/** A service with the kind. */
export const WITH_REPORTS: TestServiceOptions = { kinds: [DummyReportModule], template: 'dummyreports' };
