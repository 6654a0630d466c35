import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Kind } from '../src/record/schema/kind.js';
import { Prop } from '../src/record/schema/prop.js';
import { RecordEntity } from '../src/record/record.entity.js';
import { atOnce } from './support/barrier.js';
import { propsOf } from './support/answers.js';
import { MAKER, testModule } from './kinds/define.js';
import { deadlocks } from './support/deadlocks.js';
import { type Fixture, resetFixture } from './support/fixture.js';
import { startTestService, type TestService } from './support/service.js';

/** Records of one kind that name each other. */
@Kind({ kind: 'DummyNode', path: 'dummynodes', owner: ['$userId'], view: ['public'], create: ['owner'] })
class DummyNode extends RecordEntity {
  @Prop.string({ length: 60, view: ['public'], edit: ['owner'] })
  name!: string | null;

  @Prop.parent(MAKER)
  userId!: string;

  @Prop.parent({ name: 'above', kind: 'DummyNode', onDelete: 'null', view: ['public'], edit: ['owner'] })
  aboveId!: string | null;
}

let service: TestService;
let people: Fixture;
beforeAll(async () => {
  service = await startTestService({ kinds: [testModule(DummyNode)], template: 'dummynodes' });
  people = await resetFixture(service);
});
afterAll(() => service.stop());

it('two records that come to name each other never end in a deadlock', async () => {
  const { call } = people.owner;
  const make = async () => String(propsOf(await call.post('/dummynodes', { name: 'n' })).id);
  const [a, b] = [await make(), await make()];
  const put = (id: string, aboveId: string | null) => () => call.put(`/dummynodes/${id}`, { aboveId });
  const before = await deadlocks(service);
  for (let round = 0; round < 10; round++) {
    const answers = await atOnce(service, 'dummynodes', [put(a, b), put(b, a)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(propsOf(await call.get(`/dummynodes/${a}`)).aboveId).toBe(b);
    expect(propsOf(await call.get(`/dummynodes/${b}`)).aboveId).toBe(a);
    for (const id of [a, b]) expect((await put(id, null)()).status).toBe(200);
  }
  expect(await deadlocks(service)).toBe(before);
});
