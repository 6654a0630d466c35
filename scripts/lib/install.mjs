import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { ROOT, inRoot } from './paths.mjs';
import { runNodeOrExit } from './run.mjs';
import { withSetupLock } from './setup-lock.mjs';
import { fingerprint, isStamped, stamp } from './stamp.mjs';

const STAMP = inRoot('node_modules', '.kindred-stamp');
const LOCK = inRoot('package-lock.json');
/** npm writes it at the end of an install: what lies in node_modules. */
const INSTALLED = inRoot('node_modules', '.package-lock.json');

/** Installs the dependencies with `npm ci` when they are missing, half installed or not those of package-lock.json. */
export async function ensureInstalled() {
  const wanted = fingerprint([LOCK], [process.platform, process.arch]);
  if (isStamped(STAMP, wanted)) return;
  await withSetupLock(async () => {
    if (isStamped(STAMP, wanted)) return;
    if (!isInstalled()) {
      console.error('Installing the dependencies (npm ci) …');
      await runNodeOrExit([npmCli(), 'ci', '--include=dev'], 'Installing the dependencies', npmEnvironment());
    }
    stamp(STAMP, wanted);
  });
}

/** Whether somebody ran npm by hand and all is there: no need to do it again. */
function isInstalled() {
  if (!existsSync(INSTALLED)) return false;
  const read = (file) => Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages);
  const found = new Map(read(INSTALLED));
  return read(LOCK).every(([path, entry]) => {
    // What lies outside of node_modules (the package in schematics/) is not npm's to write.
    if (!path.startsWith('node_modules/') || (entry.optional && !isForThisPlatform(entry))) return true;
    const there = found.get(path);
    return there !== undefined && there.version === entry.version && there.integrity === entry.integrity;
  });
}

function isForThisPlatform({ os, cpu, libc }) {
  if (libc !== undefined) return false; // Can't tell cheaply; the other builds of that package don't count either way.
  if (os === undefined && cpu === undefined) return false; // What only other platforms' packages need, npm leaves out.
  return (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);
}

/** npm's own script: the one that runs us, or else the one beside this Node. */
function npmCli() {
  const running = process.env.npm_execpath;
  if (running !== undefined && basename(running) === 'npm-cli.js') return running;
  const prefix = resolve(process.execPath, '..');
  const places = ['../lib/node_modules', 'node_modules', '../share/nodejs', '../../usr/lib/node_modules'];
  const found = places
    .map((place) => resolve(prefix, place, 'npm/bin/npm-cli.js'))
    .find((path) => existsSync(path));
  if (found !== undefined) return found;
  console.error(
    'npm was not found beside this Node.js: run the command through npm ("npm start", "npm test").',
  );
  process.exit(1);
}

/**
 * npm takes the relative cache of .npmrc from the folder that it was called in; from a subfolder it would be a second
 * one. A cache that the environment names is kept.
 */
function npmEnvironment() {
  const env = { ...process.env };
  const relative = '.cache/npm';
  const calledFrom = env.INIT_CWD ?? ROOT;
  if (env.npm_config_cache === resolve(calledFrom, relative)) env.npm_config_cache = inRoot(relative);
  mkdirSync(inRoot('.cache'), { recursive: true });
  return env;
}
