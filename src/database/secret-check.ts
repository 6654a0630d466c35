import { hkdfSync } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { StartupError } from '../common/startup-error.js';

const NAME = 'app-secret';
const BYTES = 16;

/**
 * Checks that APP_SECRET is the one that this database was used with. Otherwise all ids would change, and clients' links
 * would break. The first start stores a fingerprint, which does not reveal the secret.
 * @throws StartupError if it differs
 */
export async function checkSecret(dataSource: DataSource, appSecret: string): Promise<void> {
  const own = fingerprintOf(appSecret);
  const read = 'SELECT value FROM "installation" WHERE name = $1';
  let [stored] = await dataSource.query<{ value: string }[]>(read, [NAME]);
  if (!stored) {
    const text = 'INSERT INTO "installation" (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING';
    await dataSource.query(text, [NAME, own]);
    [stored] = await dataSource.query<{ value: string }[]>(read, [NAME]);
  }
  if (stored?.value === own) return;
  throw new StartupError(
    'APP_SECRET is not the one that this database has been used with, so all ids would change. Start with that one; docs/deployment.md says how to change it on purpose.',
  );
}

/** A value that identifies the secret but does not reveal it. */
function fingerprintOf(appSecret: string): string {
  return Buffer.from(hkdfSync('sha256', appSecret, '', 'kindred fingerprint', BYTES)).toString('hex');
}
