import { readFileSync, statSync } from 'node:fs';

/** The operating-system account that PostgreSQL runs as. */
export interface Account {
  uid: number;
  gid: number;
}

/** The usual ids of `nobody`, if the user list does not have it. */
const FALLBACK: Account = { uid: 65534, gid: 65534 };

/**
 * The account to switch to, or undefined if the database may run as ours. PostgreSQL refuses to run as root, so root uses
 * the owner of the existing cluster, or `nobody` for a new one.
 */
export function databaseAccount(cluster: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  return owner === undefined || owner.uid === 0 ? nobody() : { uid: owner.uid, gid: owner.gid };
}

function nobody(): Account {
  try {
    const line = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m);
    const found = { uid: Number(line?.[1] ?? 0), gid: Number(line?.[2] ?? 0) };
    return found.uid === 0 ? FALLBACK : found;
  } catch {
    return FALLBACK;
  }
}
