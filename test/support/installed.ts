import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian keeps what only root runs; not every PATH has it. */
const SYSTEM = ['/usr/sbin', '/usr/local/sbin'];

/** The path of a program, or null where this machine does not have it. */
export function installed(program: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null;
}
