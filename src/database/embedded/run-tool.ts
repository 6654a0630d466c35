import { spawn } from 'node:child_process';
import { parse } from 'node:path';
import { type Account } from './account.js';
import { onAbruptEnd } from './exit-guard.js';

/** How to run one of PostgreSQL's programs. `fd` becomes the child's descriptor 3. */
export interface ToolOptions {
  account: Account | undefined;
  fd?: number | undefined;
  input?: string;
}

/** The result of a program: its exit code (null if killed by a signal) and its output. */
export interface ToolResult {
  code: number | null;
  output: string;
}

/**
 * The environment of PostgreSQL's programs: only what the system needs. The other account must not read the service's
 * secrets, and PG* variables must not affect the cluster.
 */
export function toolEnvironment(): NodeJS.ProcessEnv {
  const kept: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC' };
  for (const name of ['PATH', 'Path', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']) {
    if (process.env[name] !== undefined) kept[name] = process.env[name];
  }
  return kept;
}

/** A working folder that every account can use; the other account may not have access to ours. */
export function neutralFolder(program: string): string {
  return parse(program).root;
}

/** Runs a program to its end. Rejects only when it could not be started at all (errno codes such as EACCES, ENOENT). */
export function runTool(
  program: string,
  args: string[],
  { account, fd, input }: ToolOptions,
): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...account,
      cwd: neutralFolder(program),
      env: toolEnvironment(),
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe', ...(fd === undefined ? [] : [fd])],
    });
    // It must not go on writing into a folder that somebody else may use by then.
    const callOff = onAbruptEnd(() => child.kill());
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', (error) => {
      callOff();
      reject(error);
    });
    child.on('close', (code) => {
      callOff();
      resolve({ code, output });
    });
    // A program that ends without reading its input breaks the pipe. Its exit code is enough.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** The last lines of a program's output or log, on one line, for a sentence to the operator. */
export function lastLines(output: string, count = 3): string {
  return output.trim().split(/\r?\n/).slice(-count).join(' | ');
}
