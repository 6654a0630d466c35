// npm run client: writes client/src/schema.ts, the types of the client, from docs/openapi.json. With --check it writes
// nothing and fails when the file is not current.
import './lib/node-version.mjs';
import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { inRoot } from './lib/paths.mjs';

const FILE = inRoot('client', 'src', 'schema.ts');

/** The API alone, its paths without the prefix that all of them have. */
function withoutPrefix(document) {
  const prefix = `/api/${document.info.version}`;
  const paths = Object.entries(document.paths)
    .filter(([path]) => path.startsWith(`${prefix}/`))
    .map(([path, operations]) => [path.slice(prefix.length), operations]);
  return { ...document, paths: Object.fromEntries(paths) };
}

const document = JSON.parse(await readFile(inRoot('docs', 'openapi.json'), 'utf8'));
const types = astToString(await openapiTS(withoutPrefix(document), { defaultNonNullable: false }));
const text = await format(
  `// Written by npm run client from docs/openapi.json: do not edit.

/** The version of the API that these types are of. */
export const API_VERSION = '${document.info.version}';

${types}`,
  { ...(await resolveConfig(FILE)), filepath: FILE },
);

if (process.argv.includes('--check')) {
  const found = await readFile(FILE, 'utf8').catch(() => '');
  if (found !== text) {
    console.error('client/src/schema.ts is not current: run npm run client.');
    process.exitCode = 1;
  }
} else {
  await writeFile(FILE, text);
}
