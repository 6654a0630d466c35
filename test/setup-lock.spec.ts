import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/*
 * The scripts in a checkout that belongs to another user. Root may write everywhere, so the tests of root are those of
 * nobody.
 */

const SCRIPT = `import { ensureInstalled } from './scripts/lib/install.mjs'; await ensureInstalled();`;
const OTHER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'kindred-checkout-'));
  cpSync('scripts/lib', join(root, 'scripts', 'lib'), { recursive: true });
  writeFileSync(join(root, 'package-lock.json'), '{"packages":{}}');
  writeFileSync(join(root, 'install.mjs'), SCRIPT);
  mkdirSync(join(root, 'node_modules'));
  execFileSync('chmod', ['-R', 'a+rX', root]);
});
afterAll(() => {
  chmodSync(root, 0o755);
  rmSync(root, { recursive: true });
});

const run = () =>
  spawnSync(process.execPath, [join(root, 'install.mjs')], { encoding: 'utf8', cwd: root, ...OTHER });

describe('a checkout in which this user may not write', () => {
  it.each(['without', 'with'])('%s a cache says in one line what to do', (cache) => {
    if (cache === 'with') mkdirSync(join(root, '.cache'), { mode: 0o555 });
    chmodSync(root, 0o555);
    const { status, stderr } = run();
    chmodSync(root, 0o755);
    expect(stderr).toMatch(
      /^Something must be installed or built in .*kindred-checkout-.*\(EACCES\).*npm start.*\n$/,
    );
    expect(status).toBe(1);
  });
});
