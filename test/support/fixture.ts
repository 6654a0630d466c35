import { hash } from '@node-rs/argon2';
import { fold } from '../../src/record/formats.js';
import { Ids } from '../../src/record/ids.js';
import { hashOfSecret } from '../../src/session/secrets.js';
import { Caller } from './client.js';
import type { TestService } from './service.js';

export const PASSWORD = 'correct horse battery';
const hashed = hash(PASSWORD, { memoryCost: 8, timeCost: 1 });

/** A user of the fixture, logged in through an API key. */
export interface Person {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly realName: string;
  /** Public id and secret of the key. */
  readonly key: { readonly id: string; readonly privateKey: string };
  /** The session's id: the cookie's value. */
  readonly sessionId: string;
  readonly call: Caller;
}

export interface Fixture {
  readonly owner: Person;
  readonly other: Person;
  readonly admin: Person;
  readonly anon: Caller;
}

/** Empties every table and makes owner, other (ordinary users) and admin, each with one API key ("alpha"), logged in. */
export async function resetFixture(service: TestService): Promise<Fixture> {
  const tables = await service.sql<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`,
  );
  await service.sql(`TRUNCATE ${tables.map(({ name }) => `"${name}"`).join(', ')}`);
  const owner = await addPerson(service, 'owner_u', 'owner.secret@mail.test', 'Olive Owner');
  const other = await addPerson(service, 'other_u', 'other.secret@mail.test', 'Otto Other');
  const admin = await addPerson(service, 'admin_u', 'admin.secret@mail.test', 'Ada Admin', { admin: true });
  return { owner, other, admin, anon: service.anon };
}

/** One more user, logged in. */
export async function addPerson(
  service: TestService,
  username: string,
  email: string,
  realName: string,
  roles: { admin?: boolean; developer?: boolean } = {},
): Promise<Person> {
  const [user] = await service.sql<{ id: string }>(
    `INSERT INTO users (username, "usernameFolded", email, "emailFolded", "realName", "passwordHash", admin, developer)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
    [
      username,
      fold(username),
      email,
      fold(email),
      realName,
      await hashed,
      roles.admin ?? false,
      roles.developer ?? false,
    ],
  );
  const privateKey = `pk_${username.padEnd(43, '0')}`;
  const [key] = await service.sql<{ id: string }>(
    `INSERT INTO apikeys (name, "userId", "secretHash") VALUES ('alpha', $1, $2) RETURNING id`,
    [user?.id, hashOfSecret(privateKey)],
  );
  const ids = service.app.get(Ids);
  const keyId = ids.encode('APIKey', key?.id ?? '');
  const { body } = await service.anon.post('/sessions', { apiKey: keyId, privateKey });
  const sessionId = String(body.props.id); // eslint-disable-line @typescript-eslint/no-unsafe-member-access
  return {
    id: ids.encode('User', user?.id ?? ''),
    username,
    email,
    realName,
    key: { id: keyId, privateKey },
    sessionId,
    call: new Caller(service.url, sessionId),
  };
}
