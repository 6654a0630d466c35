import { type ChildProcess, execFile, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';

/* A copy of the project, in which the generators write. */

const run = promisify(execFile);
/** The project itself. */
export const ROOT = resolve('.');
const GENERATORS = join(ROOT, 'test/support/generators.mjs');

/** The copy. */
export let folder = '';
let generators: ChildProcess | undefined;

/** How a process ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
}

/** Runs Node.js in the copy. */
export const node = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  run(process.execPath, [...args], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', XDG_CACHE_HOME: join(folder, '.cache'), ...env },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      out: stdout + stderr,
    }),
  );
/** Asks the generators (generators.mjs), which run in one process, as the compiler takes long to load. One at a time. */
export async function ask<T>(message: { commands: string[][] } | { options: unknown[] }): Promise<T> {
  generators ??= fork(GENERATORS, [], { cwd: folder, env: { ...process.env, NODE_OPTIONS: '' } });
  const asked = generators;
  return new Promise((settle, reject) => {
    const ended = () => reject(new Error('The generators ended.'));
    asked.once('exit', ended);
    asked.once('message', (answer) => {
      asked.off('exit', ended);
      settle(answer as T);
    });
    asked.send(message);
  });
}
/** What `nest g` does with each of these, one after the other. */
export const generate = (...commands: string[][]) => ask<Ended[]>({ commands });
/** What a process printed that must have succeeded. */
export const done = async (work: Promise<Ended>): Promise<string> => {
  const { code, out } = await work;
  expect([out, code]).toEqual([out, 0]);
  return out;
};

/** Changes a file, as a developer would. */
export async function change(file: string, work: (text: string) => string): Promise<void> {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  const changed = work(text);
  expect([file, changed === text]).toEqual([file, false]);
  await writeFile(path, changed);
}

/** Every file of the sources, from the folder. */
export async function sources(): Promise<string[]> {
  const files = await readdir(join(folder, 'src'), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => relative(folder, join(file.parentPath, file.name)))
    .sort();
}

/** All of them as one number. */
export async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  for (const path of await sources()) hash.update(path).update(await readFile(join(folder, path)));
  return hash.digest('hex');
}

/** Makes the copy, with the modules of the project. */
export async function makeProject(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'kindred-generate-'));
  const names = [
    'src',
    'test',
    'scripts',
    'client',
    'docs',
    'package.json',
    'nest-cli.json',
    'tsconfig.json',
  ];
  names.push('ormconfig.ts', 'jest.config.cjs', 'eslint.config.mjs', '.prettierrc.json', '.prettierignore');
  for (const name of names) await cp(name, join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** Ends the process of the generators. */
export function endGenerators(): void {
  if (generators?.connected) generators.disconnect();
}
