// The example of docs/kinds.md and docs/jobs.md, a kind and a handler with its test, as the files that a reader would
// have: the code blocks that are marked as `ts example`, as they stand there.
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

const PAGES = ['docs/kinds.md', 'docs/jobs.md'];
const KIND = 'src/kinds/article';

/**
 * Writes the files that differ from the documents; returns the folder and their paths in it. With `links`, links to the
 * project's own folders stand beside them, so that their imports resolve. TypeScript resolves them with `rootDirs`
 * instead, because it would take what it finds through a link for other files.
 */
export function writeDocsExample({ links }) {
  const root = inRoot('.cache', 'docs-example', links ? 'linked' : 'plain');
  const files = new Map();
  for (const page of PAGES) {
    for (const [, code] of readFileSync(inRoot(page), 'utf8').matchAll(/```ts example\n([^]*?)```/g)) {
      const [, path] = /^\/\/ ([\w./-]+\.ts)\b/.exec(code) ?? [];
      if (!path) throw new Error(`${page}: the first line of an example names its file.`);
      files.set(path, code);
    }
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
