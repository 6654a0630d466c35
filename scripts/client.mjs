// npm run client: writes client/src/schema.ts, the types of the client, from docs/openapi.json, and for each further version
// of the API a file such as client/src/schema.v2.ts from docs/openapi.v2.json. With --check it writes nothing and fails
// when a file is not current.
import './lib/node-version.mjs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { inRoot } from './lib/paths.mjs';

/** The API alone, its paths without the prefix that all of them have. */
function withoutPrefix(document) {
  const prefix = `/api/${document.info.version}`;
  const paths = Object.entries(document.paths)
    .filter(([path]) => path.startsWith(`${prefix}/`))
    .map(([path, operations]) => [path.slice(prefix.length), operations]);
  return { ...document, paths: Object.fromEntries(paths) };
}

/** The types of one document: a prop that has a default need not be in a body. */
async function typesOf(name, path) {
  const document = JSON.parse(await readFile(inRoot('docs', name), 'utf8'));
  const types = astToString(await openapiTS(withoutPrefix(document), { defaultNonNullable: false }));
  return format(
    `// Written by npm run client from docs/${name}: do not edit.

/** The version of the API that these types are of. */
export const API_VERSION = '${document.info.version}';

${types}`,
    { ...(await resolveConfig(path)), filepath: path },
  );
}

const names = (await readdir(inRoot('docs'))).filter((name) => /^openapi(\.v\d+)?\.json$/.test(name));
for (const name of names.sort()) {
  const file = name.replace(/^openapi/, 'schema').replace(/json$/, 'ts');
  const path = inRoot('client', 'src', file);
  const text = await typesOf(name, path);
  if (!process.argv.includes('--check')) await writeFile(path, text);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    console.error(`client/src/${file} is not current: run npm run client.`);
    process.exitCode = 1;
  }
}
