import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-commit-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the hook says of a message; nothing when it lets it pass. */
function complaint(message: string): string {
  const file = join(folder, 'message');
  writeFileSync(file, message);
  const { status, stderr } = spawnSync('.githooks/commit-msg', [file], { encoding: 'utf8' });
  expect([status, stderr !== '']).toEqual(status === 0 ? [0, false] : [1, true]);
  return stderr;
}

it('lets conventional subjects of up to 72 characters pass', () => {
  for (const message of [
    'fix: count an owner’s records\n',
    'feat!: refuse kinds that do not say who may see them\n\nA body, however long '.padEnd(300, 'x'),
    'docs(api): show answers\n',
    `fix: ${'x'.repeat(67)}\n# a comment of git's\n`,
    '# a comment first\n\ntest: wait\n',
    "Merge branch 'main'\n",
    'Revert "fix: something"\n',
  ])
    expect([message, complaint(message)]).toEqual([message, '']);
});

it('refuses others, and says why', () => {
  expect(complaint(`fix: ${'x'.repeat(68)}\n`)).toMatch(/more than 72 characters/);
  expect(complaint('Fixed a thing\n')).toMatch(/must begin with a type/);
  expect(complaint('wip: a thing\n')).toMatch(/must begin with a type/);
  expect(complaint('fix:a thing\n')).toMatch(/must begin with a type/);
  expect(complaint('fix: a thing.\n')).toMatch(/full stop/);
  expect(complaint('\n')).toMatch(/must begin with a type/);
});
