import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { transformFileSync } from '@swc/core';
import { Client } from 'pg';

const ROOT = resolve(import.meta.dirname, '../../..');

/** These sources as plain JavaScript in a folder of their own, for tests that need several processes. */
export interface CompiledSources {
  /** Runs an ES module text with `./x.js` standing for this folder. Its lines of output reach `line`. */
  run(script: string, args?: string[]): CompiledRun;
  remove(): void;
}

/** A child process and what it says. */
export interface CompiledRun {
  child: ChildProcess;
  /** Resolves with the next line of output that was not asked for yet; rejects when there will be none. */
  line(): Promise<string>;
  ended: Promise<void>;
}

/** Compiles `src/database/embedded` and what it imports. */
export function compileSources(): CompiledSources {
  const out = mkdtempSync(join(tmpdir(), 'kindred-compiled-'));
  symlinkSync(join(ROOT, 'node_modules'), join(out, 'node_modules'));
  writeFileSync(join(out, 'package.json'), '{"type":"module"}');
  const here = 'src/database/embedded';
  const sourcesIn = (folder: string) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => /^[a-z-]+\.ts$/.test(name) && name !== 'spec-support.ts')
      .map((name) => `${folder}/${name}`);
  for (const file of [...sourcesIn(here), ...sourcesIn('src/common'), 'src/config/data-folder.ts']) {
    const target = join(out, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    const { code } = transformFileSync(join(ROOT, file), {
      module: { type: 'es6' },
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    });
    writeFileSync(target, code);
  }
  return {
    run(script, args = []) {
      const file = join(mkdtempSync(join(out, here, 'run-')), 'script.mjs');
      writeFileSync(file, script.replaceAll("'./", "'../"));
      return watch(spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] }));
    },
    remove: () => rmSync(out, { recursive: true, force: true }),
  };
}

function watch(child: ChildProcess): CompiledRun {
  const lines: string[] = [];
  let rest = '';
  let over = false;
  let wake = (): void => {};
  child.stdout?.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    wake();
  });
  const ended = new Promise<void>((done) =>
    child.on('close', () => {
      over = true;
      wake();
      done();
    }),
  );
  return {
    child,
    ended,
    async line() {
      for (;;) {
        const next = lines.shift();
        if (next !== undefined) return next;
        if (over) throw new Error('the process ended without another line');
        await new Promise<void>((woken) => (wake = woken));
      }
    },
  };
}

/** The rows of one query over a connection of its own. */
export async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
