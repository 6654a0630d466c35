import { Body, Injectable, Module, Param, Put, Req } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import sharp from 'sharp';
import type { ApiRequest } from '../../src/http/api-request.js';
import { FileImports } from '../../src/kinds/object-file/file-imports.js';
import { ObjectFileModule } from '../../src/kinds/object-file/object-file.module.js';
import { Kind } from '../../src/record/kind.js';
import { Prop } from '../../src/record/prop.js';
import { KindController, RecordController } from '../../src/record/record.controller.js';
import { RecordEngine } from '../../src/record/record-engine.js';
import { RecordEntity } from '../../src/record/record.entity.js';
import { RecordService, type WriteRequest } from '../../src/record/record.service.js';
import type { Json } from '../support/client.js';
import type { Fixture, Person } from '../support/fixture.js';
import { FileService, onBothDrivers } from './file-service.js';
import { picture } from './images.js';

/* The import as a general mechanism: a kind of its own that holds any file, as docs/kinds.md tells to write it. */

const ACCEPTED = ['png', 'jpg', 'pdf', 'zip', 'txt', 'html', 'json', 'svg'];

@Kind({ kind: 'Report', path: 'reports', owner: ['$userId', 'admin'] })
class Report extends RecordEntity {
  @Prop.parent({
    name: 'user',
    kind: 'User',
    required: true,
    onDelete: 'cascade',
    view: ['public'],
    edit: [],
  })
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
class ReportService extends RecordService {
  constructor(
    engine: RecordEngine,
    private readonly imports: FileImports,
  ) {
    super(engine, Report);
  }

  async importFile(id: string, body: unknown, request: WriteRequest) {
    this.writable(request.viewer, await this.load(id));
    const relation = this.parent('file');
    return this.imports.run({ relation, body, viewer: request.viewer, cover: null }, (file) =>
      this.update(id, { fileId: file.id }, request, file.keep),
    );
  }
}

@KindController(Report)
class ReportController extends RecordController {
  constructor(protected readonly service: ReportService) {
    super();
  }

  @Put(':id/import-file')
  importFile(@Req() request: ApiRequest, @Param('id') id: string, @Body() body: unknown) {
    return this.service.importFile(id, body, request);
  }
}

@Module({ imports: [ObjectFileModule], controllers: [ReportController], providers: [ReportService] })
class ReportModule {}

const PDF = Buffer.from(
  '%PDF-1.7\n1 0 obj\n<</Linearized 1 /L 0000000150 /N 7 /O 9 /E 5 /T 5 /H [1 2]>>\nendobj\n'.padEnd(
    150,
    ' ',
  ),
);
const TEXT = Buffer.from('Grüße, 日本\r\n'.repeat(50));

onBothDrivers('any relation to a file', (driver) => {
  let files: FileService;
  let people: Fixture;

  beforeAll(async () => {
    files = await FileService.start(driver, {}, { kinds: [ReportModule], template: 'reports' });
  }, 150_000);
  afterAll(() => files.stop());
  beforeEach(async () => {
    people = await files.reset();
  });

  async function tried(who: Person, filename: string, contentType: string, bytes: Uint8Array) {
    const report = String(((await who.call.post('/reports', {})).body.props as Json).id);
    const upload = await files.upload(who, filename, contentType, bytes);
    const { status, body } = await who.call.put(`/reports/${report}/import-file?includeRelated=file`, {
      objectFileId: upload.id,
    });
    const related = (body.related as Record<string, { props: Json }> | undefined)?.file?.props;
    return { status, upload, related };
  }

  it('takes files that are what they say, as they are', async () => {
    const { owner } = people;
    const zip = Buffer.concat([
      Buffer.from('PK\x03\x04', 'latin1'),
      Buffer.alloc(60),
      Buffer.from('PK\x05\x06\0\0\0\0\x03\0\x03\0', 'latin1'),
      Buffer.alloc(10),
    ]);
    const good: [string, string, Buffer, object | null, string][] = [
      ['a.pdf', 'application/pdf', PDF, { pages: 7 }, 'application/pdf'],
      ['a.zip', 'application/zip', zip, { entries: 3 }, 'application/zip'],
      ['a.txt', 'text/plain', TEXT, {}, 'text/plain; charset=utf-8'],
      // Words that begin like a bitmap and a program.
      ['bmi.txt', 'text/plain', Buffer.from('BMI,age\n21,30\n'), {}, 'text/plain; charset=utf-8'],
      ['mz.txt', 'text/plain', Buffer.from('MZ is a prefix'), {}, 'text/plain; charset=utf-8'],
      ['a.html', 'text/html', Buffer.from('<script>alert(1)</script>'), {}, 'text/plain; charset=utf-8'],
      [
        'a.svg',
        'image/svg+xml',
        Buffer.from('<?xml version="1.0"?><svg onload="x"/>'),
        {},
        'text/plain; charset=utf-8',
      ],
    ];
    for (const [name, type, bytes, metadata, servedAs] of good) {
      const { status, upload, related } = await tried(owner, name, type, bytes);
      expect([name, status, related?.status, related?.metadata]).toEqual([name, 200, 'ready', metadata]);
      const served = await files.served(owner, upload);
      expect([served.status, served.headers.get('content-type')]).toEqual([200, servedAs]);
      expect(served.headers.get('content-disposition')).toBe(`attachment; filename=${name}`);
      expect(served.headers.get('x-content-type-options')).toBe('nosniff');
      expect(served.bytes).toEqual(bytes);
      expect((await files.served(owner, upload, 'thumbnail')).status).toBe(404);
    }
    await files.expectNoOrphans();
  });

  it('refuses files that are something else', async () => {
    const png = await picture('png', 20, 20);
    const bad: [string, string, Buffer][] = [
      ['a.pdf', 'application/pdf', TEXT],
      ['a.txt', 'text/plain', png],
      ['a.txt', 'text/plain', Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1')],
      ['a.txt', 'text/plain', Buffer.from('a\0b')],
      ['a.json', 'application/json', Buffer.from([0xff, 0xfe, 0xfd])],
      ['a.zip', 'application/zip', PDF],
    ];
    for (const [name, type, bytes] of bad) {
      const { status, upload } = await tried(people.owner, name, type, bytes);
      expect([name, status, await files.statusOf(people.owner, upload)]).toEqual([name, 415, 'verifyFailed']);
    }
    await files.tidy();
    expect(await files.storage.keys()).toEqual([]);
  });

  it('keeps pictures as large as they are, with a thumbnail', async () => {
    const { status, upload, related } = await tried(
      people.owner,
      'a.jpg',
      'image/jpeg',
      await picture('jpeg', 800, 600),
    );
    expect([status, related?.metadata]).toEqual([200, { width: 800, height: 600, format: 'jpeg' }]);
    const thumbnail = await files.served(people.owner, upload, 'thumbnail');
    expect(await sharp(thumbnail.bytes).metadata()).toMatchObject({ width: 300, height: 225 });
    expect((await people.owner.call.put(`/users/${people.owner.id}`, { avatarId: upload.id })).status).toBe(
      200,
    );
    const image = await files.fetched(`/api/v1/users/${people.owner.id}/avatar-image`);
    expect(await sharp(image.bytes).metadata()).toMatchObject({ width: 300, height: 225 });
    // A report still names it, so it outlives the avatar.
    expect((await people.owner.call.put(`/users/${people.owner.id}`, { avatarId: null })).status).toBe(200);
    expect(await files.statusOf(people.owner, upload)).toBe('ready');
  });
});
