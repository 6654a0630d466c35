// npm run client: writes client/src/schema.ts, the types of the client, from docs/openapi.json, and for each further version
// of the API a file such as client/src/schema.v2.ts from docs/openapi.v2.json, with its client, client/src/kindred.v2.ts. Those
// of a version that is gone go too. With --check it writes nothing and fails when a file is not current.
import './lib/node-version.mjs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { inRoot } from './lib/paths.mjs';

const FOLDER = inRoot('client', 'src');

/** The API alone, its paths without the prefix that all of them have. */
function withoutPrefix(document) {
  const prefix = `/api/${document.info.version}`;
  const paths = Object.entries(document.paths)
    .filter(([path]) => path.startsWith(`${prefix}/`))
    .map(([path, operations]) => [path.slice(prefix.length), operations]);
  return { ...document, paths: Object.fromEntries(paths) };
}

/** The types of one document: a prop that has a default need not be in a body. */
async function typesOf(document, source) {
  const types = astToString(await openapiTS(withoutPrefix(document), { defaultNonNullable: false }));
  return `${writtenFrom(source)}
/** The version of the API that these types are of. */
export const API_VERSION = '${document.info.version}';

${types}`;
}

/** The client of a further version; that of the first one is written by hand. */
function clientOf(version, source) {
  const name = `Kindred${version.toUpperCase()}`;
  return `${writtenFrom(source)}import { ApiClient, type KindredOptions } from './api-client.js';
import { API_VERSION, type components, type paths } from './schema.${version}.js';

export { KindredError } from './kindred-error.js';

/** The types of version ${version.slice(1)} of the API, for types such as \`RecordOf<'User', ${version.toUpperCase()}>\`. */
export interface ${version.toUpperCase()} {
  readonly paths: paths;
  readonly components: components;
}

/** A Kindred service by version ${version.slice(1)} of its API, for Node.js and browsers. One object is one session. */
export class ${name} extends ApiClient<${version.toUpperCase()}> {
  /** @param address where the service is, such as \`https://api.example.com\`; in its own pages \`location.origin\` */
  constructor(address: string, options: KindredOptions = {}) {
    super(API_VERSION, address, options);
  }
}
`;
}

const writtenFrom = (source) => `// Written by npm run client from docs/${source}: do not edit.\n`;

/** File name → text. */
const files = new Map();
for (const source of await readdir(inRoot('docs'))) {
  const [, version] = /^openapi(?:\.(v\d+))?\.json$/.exec(source) ?? [null, null];
  if (version === null) continue;
  const document = JSON.parse(await readFile(inRoot('docs', source), 'utf8'));
  files.set(`schema${version ? `.${version}` : ''}.ts`, await typesOf(document, source));
  if (version) files.set(`kindred.${version}.ts`, clientOf(version, source));
}
const stale = (await readdir(FOLDER)).filter(
  (file) => /^(schema|kindred)\.v\d+\.ts$/.test(file) && !files.has(file),
);
const isCheck = process.argv.includes('--check');
for (const [file, text] of [...files].sort()) {
  const filepath = inRoot('client', 'src', file);
  const laidOut = await format(text, { ...(await resolveConfig(filepath)), filepath });
  if (!isCheck) await writeFile(filepath, laidOut);
  else if ((await readFile(filepath, 'utf8').catch(() => '')) !== laidOut) complain(file, 'is not current');
}
for (const file of stale) {
  if (isCheck) complain(file, 'is of a version that docs/ does not describe');
  else await rm(inRoot('client', 'src', file));
}

function complain(file, fault) {
  console.error(`client/src/${file} ${fault}: run npm run client.`);
  process.exitCode = 1;
}
