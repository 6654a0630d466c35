import {
  ConflictException,
  Controller,
  Get,
  GoneException,
  Injectable,
  Logger,
  Module,
  Query,
} from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Viewer } from '../src/common/viewer.js';
import { Access } from '../src/http/access.decorator.js';
import { CurrentViewer } from '../src/http/param-decorators.js';
import type { QueryParams } from '../src/http/query.js';
import { Describe } from '../src/openapi-model/operation.decorator.js';
import { RecordEngine } from '../src/record/record-engine.js';
import { RecordEntity } from '../src/record/record.entity.js';
import { RecordService } from '../src/record/record.service.js';
import { Kind } from '../src/record/schema/kind.js';
import { Prop } from '../src/record/schema/prop.js';
import { startTestService, type TestService } from './support/service.js';
import { MAKER, testModule } from './kinds/define.js';
import { type Person, addPerson } from './support/fixture.js';

/* Code as somebody who knows Nest would write it, in the whole service. */

@Injectable()
class DummyNotes {
  private readonly own = new Logger('Notebook');

  constructor(private readonly logger: Logger) {}

  write(): void {
    this.logger.log('written');
    this.logger.warn({ password: 's3cr3t', note: { cookie: 's3cr3t', title: 'Shopping' } }, 'kept');
    this.own.error('failed', new Error('inside').stack);
    this.own.debug('looked at');
    this.own.verbose('below the level');
  }
}

@Controller('dummynotes')
@Access('kind')
class DummyNotesController {
  constructor(
    private readonly notes: DummyNotes,
    private readonly logger: Logger,
  ) {}

  @Get('viewer')
  @Describe(null)
  viewer(@CurrentViewer() { userId }: Viewer, @Query() query: QueryParams, @Query('a') a?: string): object {
    return { loggedIn: userId !== null, names: [...query.keys()], a };
  }

  @Get('write')
  @Access('login')
  @Describe(null)
  write(): object {
    this.notes.write();
    this.logger.log('answered');
    return {};
  }

  @Get('taken')
  @Describe(null)
  taken(): never {
    throw new ConflictException({ message: 'The page is taken.', data: 'page' });
  }
}

@Kind({
  kind: 'DummyNote',
  path: 'dummynoterecords',
  owner: ['$userId', 'admin'],
  create: ['owner'],
  view: ['public'],
})
class DummyNote extends RecordEntity {
  @Prop.parent(MAKER)
  userId!: string;

  @Prop.string({ length: 60, view: ['public'], edit: ['owner'] })
  title!: string | null;
}

@Injectable()
class DummyNoteService extends RecordService {
  constructor(engine: RecordEngine) {
    super(engine, DummyNote);
  }

  override beforeSave(): Promise<void> {
    throw new GoneException('The notebook is full.');
  }
}

@Module({ controllers: [DummyNotesController], providers: [DummyNotes] })
class DummyNotesModule {}

let service: TestService;
let owner: Person;
beforeAll(async () => {
  service = await startTestService({
    kinds: [DummyNotesModule, testModule(DummyNote, DummyNoteService)],
    template: 'dummynotes',
  });
  owner = await addPerson(service, 'olive', 'olive@mail.test', 'Olive Example');
});
afterAll(() => service.stop());

describe('your own code', () => {
  beforeEach(() => {
    service.log.length = 0;
  });

  it('logs into the service’s log, with its context, its level and without secrets', async () => {
    await owner.call.get('/dummynotes/write');
    const lines = service.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ context }) => context !== undefined)).toMatchObject([
      { level: 'info', context: 'DummyNotes', msg: 'written' },
      { level: 'warn', context: 'DummyNotes', msg: 'kept', note: { title: 'Shopping' } },
      { level: 'error', context: 'Notebook', msg: 'failed', stack: expect.stringContaining('inside') },
      { level: 'debug', context: 'Notebook', msg: 'looked at' },
      { level: 'info', context: 'DummyNotesController', msg: 'answered' },
    ]);
    expect(service.log.join()).not.toContain('s3cr3t');
  });

  it('is given who asks, and the parameters by their names', async () => {
    const path = '/dummynotes/viewer?a=1&b=2';
    const names = ['a', 'b'];
    expect((await owner.call.get(path)).body).toEqual({ loggedIn: true, names, a: '1' });
    expect((await service.anon.get(path)).body).toEqual({ loggedIn: false, names, a: '1' });
  });

  it('throws Nest’s exceptions', async () => {
    const { status, body } = await service.anon.get('/dummynotes/taken');
    expect([status, body]).toEqual([
      409,
      { error: { code: 409, message: 'The page is taken.', data: 'page' } },
    ]);
  });

  it('throws them in hooks, which then have stored nothing', async () => {
    const { status, body } = await owner.call.post('/dummynoterecords', { title: 'Shopping' }, { own: true });
    expect([status, body]).toEqual([
      410,
      { error: { code: 410, message: 'The notebook is full.', data: null } },
    ]);
    expect(await service.sql('SELECT FROM dummynoterecords')).toEqual([]);
  });
});
