/*
 * ESLint rule: no file needs itself by way of those that it imports, types included. Between folders their order sees to it
 * (docs/decisions/0021-one-direction.md); this sees to the files of one folder.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import ts from 'typescript';

/** File → when it was changed, and the files that it imports. Editors lint for hours. */
const known = new Map();

function importsOf(file) {
  const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (changed === undefined) return [];
  if (known.get(file)?.changed !== changed) {
    known.set(file, { changed, imports: importsIn(readFileSync(file, 'utf8'), file).map(({ to }) => to) });
  }
  return known.get(file).imports;
}

/** The relative imports and re-exports of a text, and where they stand in it. */
function importsIn(text, file) {
  const found = ts.preProcessFile(text, true, true).importedFiles;
  return found
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName, pos }) => ({ pos, to: resolve(dirname(file), fileName.replace(/\.js$/, '.ts')) }));
}

/** The shortest way from one file to another, both included; null when there is none. */
function wayFrom(from, to) {
  const before = new Map([[from, null]]);
  for (const file of before.keys()) {
    if (file === to) {
      const way = [];
      for (let at = file; at !== null; at = before.get(at)) way.unshift(at);
      return way;
    }
    for (const next of importsOf(file)) if (!before.has(next)) before.set(next, file);
  }
  return null;
}

/** @type {import('eslint').Rule.RuleModule} */
export const noCircles = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      circle:
        'This import leads back here, by {{way}}. Move what both need to a file of its own, or pass it in.',
    },
  },
  create: (context) => ({
    Program() {
      const { filename, sourceCode } = context;
      for (const { pos, to } of importsIn(sourceCode.text, filename)) {
        const way = wayFrom(to, filename);
        if (!way) continue;
        const names = way.slice(0, -1).map((file) => relative(dirname(filename), file));
        context.report({
          loc: sourceCode.getLocFromIndex(pos),
          messageId: 'circle',
          data: { way: names.join(' → ') },
        });
      }
    },
  }),
};
