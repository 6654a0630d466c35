// Checks new sources of a project as `npm run check` does, in one process that compiles them once. Run in the project;
// argv[2] is JSON: `types` and `lint`, folders or files, and `format`, files. Says what is wrong, and then ends with 1.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ESLint } from 'eslint';
import * as prettier from 'prettier';
import ts from 'typescript';

const { types, lint, format } = JSON.parse(process.argv[2]);
const found = [];

const { options, fileNames, errors } = ts.getParsedCommandLineOfConfigFile(
  'tsconfig.json',
  { noEmit: true },
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (error) => found.push(error.messageText) },
);
const asked = types.map((path) => resolve(path));
const roots = fileNames
  .map((file) => resolve(file))
  .filter((file) => asked.some((path) => file === path || file.startsWith(`${path}/`)));
const program = ts.createProgram(roots, options);
const diagnostics = [
  ...errors,
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  // What these import is the project's own, which `npm run check` has looked at.
  ...roots.flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file))),
];
if (diagnostics.length) found.push(ts.formatDiagnostics(diagnostics, ts.createCompilerHost(options)));

const eslint = new ESLint({
  overrideConfig: {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, programs: [program] } },
  },
});
const results = await eslint.lintFiles(lint);
if (results.some(({ messages }) => messages.length)) {
  found.push(await (await eslint.loadFormatter('stylish')).format(results));
}

for (const file of format) {
  const config = await prettier.resolveConfig(file);
  if (!(await prettier.check(await readFile(file, 'utf8'), { ...config, filepath: file })))
    found.push(`${file} is not formatted`);
}

process.stdout.write(
  JSON.stringify({ checked: { types: roots.length, lint: results.length, format: format.length } }),
);
if (found.length) {
  process.stderr.write(found.join('\n'));
  process.exitCode = 1;
}
