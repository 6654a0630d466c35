import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { Ids } from '../../src/record/ids/ids.js';
import { TEST_KINDS } from '../kinds/kinds.js';
import { addBelongings, addOwnerless, type Belongings } from './belongings.js';
import { type Fixture, resetFixture } from './fixture.js';
import { startTestService, type TestService } from './service.js';

/* The service that a spec about records tests: with all test kinds, and with the same people before each test. */

/** Of the whole file. */
export let service: TestService;
/** Of each test. */
export let people: Fixture;
/** With {@link useBelongings}: what the owner has; its mark is olive, its numbers are 7. */
export let olives: Belongings;
/** With {@link useBelongings}: what the other person has; its mark is otto, its numbers are 50. */
export let ottos: Belongings;
/** With {@link useBelongings}: what nobody owns. */
export let nobodys: Awaited<ReturnType<typeof addOwnerless>>;

/** Starts the service for the tests of a file, and empties its tables before each. */
export function useKindsService(env: Record<string, string> = {}): void {
  beforeAll(async () => {
    service = await startTestService({ kinds: TEST_KINDS, template: 'kinds', env });
  });
  afterAll(() => service.stop());
  beforeEach(renewPeople);
}

/** The same, with belongings of the owner, of the other person and of nobody. */
export function useBelongings(): void {
  useKindsService();
  beforeEach(async () => {
    olives = await addBelongings(people.owner, 'olive', 7);
    ottos = await addBelongings(people.other, 'otto', 50);
    nobodys = await addOwnerless(service);
  });
}

/** Empties the tables, and logs the people in again. */
export async function renewPeople(): Promise<void> {
  people = await resetFixture(service);
}

/** Things with the amounts 1 to n, all created at the same instant, behind the service's back; their ids in that order. */
export async function addThings(n: number): Promise<string[]> {
  const rows = await service.sql<{ id: string }>(
    `INSERT INTO dummythings (name, amount) SELECT 'Thing ' || lpad(n::text, 5, '0'), n
     FROM generate_series(1, $1) n RETURNING id`,
    [n],
  );
  const ids = rows.map(({ id }) => id);
  return service.app.get(Ids).encodeAll('DummyThing', ids);
}
