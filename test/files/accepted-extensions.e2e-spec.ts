import { expect, it } from '@jest/globals';
import { Kind } from '../../src/record/schema/kind.js';
import { Prop } from '../../src/record/schema/prop.js';
import { RecordEntity } from '../../src/record/record.entity.js';
import { testModule } from '../kinds/define.js';
import { startTestService } from '../support/service.js';

@Kind({ kind: 'DummyTool', path: 'dummytools', owner: ['admin'], view: ['public'], create: ['admin'] })
class DummyTool extends RecordEntity {
  @Prop.parent({
    name: 'program',
    kind: 'ObjectFile',
    acceptedFileExtensions: ['png', 'exe'],
    onDelete: 'null',
    view: ['public'],
    edit: ['owner'],
  })
  programId!: string | null;
}

it('a relation that accepts an extension that no file can have stops the start', async () => {
  const start = startTestService({ kinds: [testModule(DummyTool)], template: 'dummytools' });
  await expect(start).rejects.toThrow('Kind DummyTool: prop programId: acceptedFileExtensions names "exe"');
});
