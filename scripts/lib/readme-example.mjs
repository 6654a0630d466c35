// The example of the README, a kind and a handler with its test, as the files that its reader would have: the code blocks
// as they stand there.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { inRoot } from './paths.mjs';

/** Blocks that name a file only belong here, as the text above them says. */
const KIND = 'src/kinds/article';

/**
 * Writes the files that are not as the README says; returns the folder and their paths in it. Their imports lead where
 * they say if `links`, links to the project's own folders, stand beside them; TypeScript has its own way, `rootDirs`,
 * and would take what it finds through a link for other files.
 */
export function writeReadmeExample({ links }) {
  const root = inRoot('.cache', 'readme', links ? 'linked' : 'plain');
  const readme = readFileSync(inRoot('README.md'), 'utf8');
  const files = new Map();
  for (const [, code] of readme.matchAll(/```ts\n([^]*?)```/g)) {
    const [, path] = /^\/\/ ([\w./-]+\.ts)\b/.exec(code) ?? [];
    if (path) files.set(path.includes('/') ? path : `${KIND}/${path}`, code);
  }
  if (links) linkFolders(root);
  for (const folder of [KIND, 'test']) removeOthers(root, folder, files);
  for (const [path, code] of files) write(join(root, path), code);
  return { folder: root, paths: [...files.keys()] };
}

function linkFolders(root) {
  for (const { name } of readdirSync(inRoot('src'), { withFileTypes: true }).filter((one) =>
    one.isDirectory(),
  )) {
    if (name !== 'kinds') link(inRoot('src', name), join(root, 'src', name));
  }
  link(inRoot('test', 'support'), join(root, 'test', 'support'));
}

function link(target, path) {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, 'junction');
}

function removeOthers(root, folder, files) {
  const path = join(root, folder);
  if (!existsSync(path)) return;
  for (const name of readdirSync(path)) {
    if (name.endsWith('.ts') && !files.has(`${folder}/${name}`)) rmSync(join(path, name));
  }
}

/** In one step, because somebody else may read it just now. */
function write(path, code) {
  if (existsSync(path) && readFileSync(path, 'utf8') === code) return;
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, code);
  renameSync(draft, path);
}
