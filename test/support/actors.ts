import { FIRST_VERSION } from '../../src/common/api-path.js';
import { addPerson, resetFixture, type Person } from './fixture.js';
import { type Actor } from './reference-model.js';
import { type TestService } from './service.js';

/** The same actor in another version of the API. */
export const inVersion = (version: string, actor: Actor): Actor => ({
  ...actor,
  call: actor.call.in(version),
});

/** The actors of the tests. */
export interface Actors {
  readonly anonymous: Actor;
  readonly owner: Actor;
  readonly other: Actor;
  readonly developer: Actor;
  readonly admin: Actor;
}

/** The actor of a user of the fixture. */
export const actorOf = (name: string, person: Person, roles: readonly string[] = []): Actor => ({
  name,
  id: person.id,
  roles: new Set(roles),
  call: person.call,
});

/** Empties the tables and makes one person of every sort, each logged in, who calls `version` of the API. */
export async function makeActors(service: TestService, version = FIRST_VERSION): Promise<Actors> {
  const { owner, other, admin, anon } = await resetFixture(service);
  const developer = await addPerson(service, 'developer_u', 'developer.secret@mail.test', 'Dev Eloper', {
    developer: true,
  });
  const actor = (name: string, person: Person, roles: readonly string[] = []) =>
    inVersion(version, actorOf(name, person, roles));
  return {
    anonymous: { name: 'anonymous', id: null, roles: new Set(), call: anon.in(version) },
    owner: actor('owner', owner),
    other: actor('other', other),
    developer: actor('developer', developer, ['developer']),
    admin: actor('admin', admin, ['admin']),
  };
}
