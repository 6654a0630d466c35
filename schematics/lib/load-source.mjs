import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import ts from 'typescript';

/**
 * Loads a TypeScript module of the project as it stands, without a build, and what it imports. So the generators check
 * with the engine's own rules and not with a copy of them. For modules without decorators.
 * @param {string} file absolute
 * @returns {Record<string, any>} its exports
 */
export function loadSource(file, loaded = new Map()) {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const exports = {};
  loaded.set(file, exports);
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 },
    fileName: file,
  });
  const fromPackage = createRequire(file);
  const load = (name) =>
    name.startsWith('.')
      ? loadSource(resolve(dirname(file), name.replace(/\.js$/, '.ts')), loaded)
      : fromPackage(name);
  new Function('exports', 'require', outputText)(exports, load);
  return exports;
}
