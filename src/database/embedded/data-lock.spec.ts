import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileSources, type CompiledSources } from './spec-support.js';
import { lockDataFolder } from './data-lock.js';

const RIVAL = `
  import { lockDataFolder } from './data-lock.js';
  await new Promise((go) => setTimeout(go, Number(process.argv[3]) - Date.now()));
  await lockDataFolder(process.argv[2]).then(() => console.log('won'), (error) => console.log(error.name));
  setInterval(() => {}, 1000);
`;
/** No process has it: the highest that Linux gives is 2^22. */
const DEAD = JSON.stringify({ pid: 2 ** 22 + 1, born: null });

describe('lockDataFolder', () => {
  let dataDir: string;
  let sources: CompiledSources;
  beforeAll(() => {
    sources = compileSources();
  });
  afterAll(() => sources.remove());
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'kindred-lock-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('refuses a second holder, in the same process too, until it is released', async () => {
    const lock = await lockDataFolder(dataDir);
    await expect(lockDataFolder(dataDir)).rejects.toThrow(`in use by process ${process.pid}`);
    lock.release();
    lock.release();
    expect(readdirSync(dataDir)).toEqual([]);
    (await lockDataFolder(dataDir)).release();
  });

  it.each([
    ['of a process that is gone', DEAD],
    [
      'of an earlier process with the same number',
      JSON.stringify({ pid: process.pid, born: 'another boot/1' }),
    ],
    ['that is no lock at all', 'garbage'],
  ])('replaces a lock %s', async (_what, content) => {
    if (process.platform !== 'linux' && content.includes('another boot')) return; // Births are known on Linux alone.
    writeFileSync(join(dataDir, 'kindred.lock'), content);
    writeFileSync(join(dataDir, 'kindred.lock.takeover'), DEAD);
    const lock = await lockDataFolder(dataDir);
    expect(readdirSync(dataDir)).toEqual(['kindred.lock']);
    lock.release();
  });

  it('does not take away the lock of a later holder', async () => {
    const lock = await lockDataFolder(dataDir);
    writeFileSync(join(dataDir, 'kindred.lock'), DEAD);
    lock.release();
    expect(readdirSync(dataDir)).toEqual(['kindred.lock']);
  });

  it('lets one of many in that find a stale lock at the same moment', async () => {
    writeFileSync(join(dataDir, 'kindred.lock'), DEAD);
    const start = String(Date.now() + 1500);
    const rivals = Array.from({ length: 8 }, () => sources.run(RIVAL, [dataDir, start]));
    const outcomes = await Promise.all(rivals.map((rival) => rival.line()));
    for (const rival of rivals) rival.child.kill('SIGKILL');
    await Promise.all(rivals.map((rival) => rival.ended));
    expect(outcomes.sort()).toEqual([...Array<string>(7).fill('StartupError'), 'won']);
  });
});
