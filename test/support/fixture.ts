import { hash } from '@node-rs/argon2';
import { fold } from '../../src/record/schema/formats.js';
import { Ids } from '../../src/record/ids/ids.js';
import { hashOfSecret } from '../../src/common/secrets.js';
import { SessionStore } from '../../src/auth/session-store.js';
import { Caller } from './client.js';
import type { TestService } from './service.js';

/** The password of every user of the fixture. */
export const PASSWORD = 'correct horse battery';
const hashed = hash(PASSWORD, { memoryCost: 8, timeCost: 1 });

/** A user of the fixture with a session of their API key; the login over HTTP is for other tests. */
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

/** The users of the fixture, and a caller without a session. */
export interface Fixture {
  readonly owner: Person;
  readonly other: Person;
  readonly admin: Person;
  readonly anon: Caller;
}

/** The ids of its users, in the order in which they were made. */
export const userIds = ({ owner, other, admin }: Fixture): string[] => [owner.id, other.id, admin.id];

/** Empties every table and makes owner, other (ordinary users) and admin, each with one API key ("alpha"), logged in. */
export async function resetFixture(service: TestService): Promise<Fixture> {
  await emptyTables(service);
  const owner = await addPerson(service, 'owner_u', 'owner.secret@mail.test', 'Olive Owner');
  const other = await addPerson(service, 'other_u', 'other.secret@mail.test', 'Otto Other');
  const admin = await addPerson(service, 'admin_u', 'admin.secret@mail.test', 'Ada Admin', { admin: true });
  return { owner, other, admin, anon: service.anon };
}

/**
 * Deletes all rows, in a transaction for each table. TRUNCATE takes twenty times as long for tables as small as these,
 * and locks each against the service's own statements, which may hold the next: a deadlock. Triggers keep the counts.
 * Tables whose rows keep others from going come first, and last the one that learns of what the others lose.
 */
async function emptyTables(service: TestService): Promise<void> {
  await service.sql(`DO $$
    DECLARE name text;
    BEGIN
      FOREACH name IN ARRAY (
        SELECT array_agg(tablename ORDER BY tablename = 'storage_removals', NOT EXISTS (
          SELECT FROM pg_constraint WHERE conrelid = format('%I', tablename)::regclass AND confdeltype IN ('r', 'a')
            AND contype = 'f'))
        FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('migrations', 'record_counts', 'installation')
      ) LOOP
        EXECUTE format('DELETE FROM %I', name);
        COMMIT;
      END LOOP;
    END $$`);
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
  const session = await service.app
    .get(SessionStore)
    .createByKey(key?.id ?? '', hashOfSecret(privateKey), user?.id ?? '');
  if (!session) throw new Error(`${username} has no session.`);
  const sessionId = session.token;
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
