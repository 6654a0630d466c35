import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hasCode } from './errno.js';
import { folderIdentity } from './folder-identity.js';

/** Whether a process with this pid runs. Zombies do not count. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!hasCode(error, 'EPERM')) return false;
  }
  return statusOf(pid)?.state !== 'Z';
}

/** Boot and start time of a process as an opaque text, which distinguishes reused pids. Linux only. */
export function birthOf(pid: number): string | null {
  const started = statusOf(pid)?.started;
  if (started === undefined) return null;
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${started}`;
  } catch {
    return null;
  }
}

function statusOf(pid: number): { state: string | undefined; started: string | undefined } | undefined {
  try {
    // The name, in brackets, may hold spaces; of what follows it the state is the first field, the start the 20th.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\)\s*/s, '')
      .split(' ');
    return { state: fields[0], started: fields[19] };
  } catch {
    return undefined;
  }
}

/** The identity of the folder that a process works in, undefined if it can't be told. Linux only. */
export function workingFolderOf(pid: number): string | undefined {
  return process.platform === 'linux' ? folderIdentity(`/proc/${pid}/cwd`) : undefined;
}

/** The command line of a process, words parted by spaces (Windows: the program's name), or undefined if unknown. */
export function commandOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    const [program, args]: [string, string[]] =
      process.platform === 'win32'
        ? ['tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']]
        : ['ps', ['-o', 'command=', '-p', String(pid)]];
    return execFileSync(program, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    });
  } catch {
    return undefined;
  }
}
