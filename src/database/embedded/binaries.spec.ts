import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { copyBinaries } from './binaries-copy.js';
import { makeLibraryLinks } from './binaries.js';

const describeOnPosix = process.platform === 'win32' ? describe.skip : describe;

describeOnPosix('the programs of the platform package', () => {
  let folder: string;
  let native: string;
  let copied: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kindred-binaries-'));
    native = join(folder, 'native');
    mkdirSync(join(native, 'lib'), { recursive: true });
    writeFileSync(join(native, 'lib', 'libpq.so.5.18'), 'library', { mode: 0o700 });
    writeFileSync(join(native, 'plain'), 'text', { mode: 0o600 });
    const links = ['libpq.so', 'libpq.so.5'].map((name) => ({
      source: 'native/lib/libpq.so.5.18',
      target: `native/lib/${name}`,
    }));
    writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links));
    copied = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const copy = (): string =>
    copyBinaries(native, { name: 'programs', onCopy: (to) => copied.push(to), parent: folder });

  it('get their library links where an install without scripts left them out, again and again', () => {
    symlinkSync('libpq.so.5.18', join(native, 'lib', 'libpq.so'));
    expect(makeLibraryLinks(native)).toBe(true);
    expect(makeLibraryLinks(native)).toBe(true);
    expect(readlinkSync(join(native, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
    expect(readFileSync(join(native, 'lib', 'libpq.so'), 'utf8')).toBe('library');
  });

  it('are copied for every account to run, links included, and the copy is used again', () => {
    makeLibraryLinks(native);
    const place = copy();
    expect(statSync(place).mode & 0o777).toBe(0o755);
    expect(statSync(join(place, 'lib', 'libpq.so')).mode & 0o777).toBe(0o755);
    expect(statSync(join(place, 'plain')).mode & 0o777).toBe(0o644);
    expect(copy()).toBe(place);
    expect(copied).toEqual([place]);
    rmSync(join(place, 'lib', 'libpq.so'));
    expect(makeLibraryLinks(place)).toBe(true);
    expect(readlinkSync(join(place, 'lib', 'libpq.so'))).toBe('libpq.so.5.18');
    expect(readdirSync(folder).sort()).toEqual(['native', basename(place)]);
  });

  it('are copied again when files of the copy went missing', () => {
    const place = copy();
    truncateSync(join(place, 'plain'));
    expect(copy()).toBe(place);
    expect(readFileSync(join(place, 'plain'), 'utf8')).toBe('text');
  });

  it('are never run from a folder that others can write to, nor through a link', () => {
    const place = copy();
    chmodSync(place, 0o777);
    const second = copy();
    expect(second).toBe(`${place}-1`);
    rmSync(second, { recursive: true });
    symlinkSync(place, second);
    expect(copy()).toBe(`${place}-2`);
    expect(lstatSync(second).isSymbolicLink()).toBe(true);
  });
});
