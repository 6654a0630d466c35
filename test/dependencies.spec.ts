import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import semver from 'semver';
import { isSupportedNode } from '../scripts/lib/supported-node.mjs';

interface Entry {
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
}

const read = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;
const { engines, allowScripts } = read<{
  engines: { node: string };
  allowScripts: Record<string, boolean>;
}>('package.json');
const { packages } = read<{ packages: Record<string, Entry> }>('package-lock.json');

it('every dependency runs on every Node.js that package.json allows', () => {
  const installed = Object.entries(packages).filter(([path]) => path !== '');
  expect(installed.length).toBeGreaterThan(500);
  const narrower = installed.flatMap(([path, { engines: theirs, optional, os }]) =>
    // npm leaves out, unsaid, what is for another platform.
    theirs?.node === undefined || (optional && os) || semver.subset(engines.node, theirs.node)
      ? []
      : `${path} wants ${theirs.node}`,
  );
  expect(narrower).toEqual([]);
});

it('every install script of a dependency has been decided on, so that npm does not warn of it', () => {
  const withScript = Object.entries(packages)
    .filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(withScript.sort()).toEqual(Object.keys(allowScripts).sort());
});

it('the scripts start on just those versions of Node.js', () => {
  const minors = [20, 21, 22, 23, 24, 25, 26].flatMap((major) =>
    [0, 10, 11, 12, 13, 18, 19, 30].map((minor) => `${major}.${minor}.0`),
  );
  const versions = ['18.20.8', ...minors];
  expect(versions.filter(isSupportedNode)).toEqual(
    versions.filter((version) => semver.satisfies(version, engines.node)),
  );
});
