import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { prepareDataFolder } from './data-folder.js';
import { StartupError } from '../common/startup-error.js';

const dir = mkdtempSync(join(tmpdir(), 'kindred-data-'));
afterAll(() => rmSync(dir, { recursive: true }));

describe('prepareDataFolder', () => {
  it('makes the folder and leaves nothing in it', async () => {
    const folder = join(dir, 'new', 'data');
    await prepareDataFolder(folder);
    await prepareDataFolder(folder);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses one that can’t be written to, and names it and the fix', async () => {
    const file = join(dir, 'file');
    writeFileSync(file, '');
    for (const folder of [file, join(file, 'below')]) {
      await expect(prepareDataFolder(folder)).rejects.toBeInstanceOf(StartupError);
      await expect(prepareDataFolder(folder)).rejects.toThrow(
        `${JSON.stringify(folder)} can’t be written to`,
      );
      await expect(prepareDataFolder(folder)).rejects.toThrow('DATA_DIR');
      await expect(prepareDataFolder(folder)).rejects.toThrow(`${JSON.stringify(file)} is a file`);
    }
  });

  // Node's recursive mkdir never ends there, so this is a process that can be ended.
  (process.platform === 'linux' ? it : it.skip)('ends where the system makes no folders', () => {
    const env = { ...process.env, DATA_DIR: '/proc/kindred/data', DATABASE_URL: '', PORT: '0' };
    for (const APP_SECRET of ['', 's'.repeat(32)]) {
      const { status, stderr } = spawnSync(process.execPath, ['dist/src/main.js'], {
        env: { ...env, APP_SECRET },
        encoding: 'utf8',
        timeout: 20_000,
        killSignal: 'SIGKILL',
      });
      expect(stderr).toMatch(/^.*\/proc\/kindred.*ENOENT.*DATA_DIR.*\n$/);
      expect(status).toBe(1);
    }
  });
});
