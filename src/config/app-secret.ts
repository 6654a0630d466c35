import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../common/error-code.js';
import { StartupError } from '../common/startup-error.js';
import { makeDataFolder } from './data-folder.js';

const readSecret = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * Writes a new secret beside `file` and links it into place: a reader sees the whole secret or none, and of several
 * processes that start at once exactly one wins (link(2) never replaces).
 */
const createSecret = (file: string): void => {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
};

/**
 * The secret of an installation without APP_SECRET: `app-secret` in the data folder, generated on the first start (48
 * random bytes, base64url; mode 0600). The ids depend on it, so it must stay with the data.
 * @throws StartupError when the file can't be read or created, or is damaged.
 */
export function generatedSecret(dataDir: string): string {
  const file = join(dataDir, 'app-secret');
  try {
    makeDataFolder(dataDir);
    if (readSecret(file) === undefined) createSecret(file);
    const secret = readSecret(file) ?? '';
    if (secret.length >= 32) return secret;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const reason = codeOf(error) || 'unknown reason';
    throw new StartupError(
      `The secret in ${JSON.stringify(file)} can't be read or made (${reason}): make DATA_DIR writable, or set APP_SECRET.`,
      { cause: error },
    );
  }
  throw new StartupError(
    `The secret in ${JSON.stringify(file)} is shorter than 32 characters: restore the file from a backup, or set APP_SECRET.`,
  );
}
