import type { LinkedKind } from '../../src/record/schema/kind-graph.js';
import { TEST_KINDS } from '../kinds/kinds.js';
import { type Json } from '../support/client.js';
import { ApiDocument, DocumentedCaller, type DocumentedOperation } from '../support/document.js';
import { Factory } from '../support/factory.js';
import type { Actor } from '../support/reference-model.js';
import { startSetup } from '../support/setup.js';

/** The service of a file. */
export const {
  service,
  seeder,
  actors: actors,
  prepared,
} = await startSetup({ kinds: TEST_KINDS, template: 'kinds' }, async ({ service }) => {
  const { body, text } = await service.anon.get('//openapi.json');
  return { document: new ApiDocument(body), text };
});
/** Its description, parsed and as it was sent. */
export const { document, text } = prepared;
/** The same actor, but each of its answers must be as the description says. */
export const checked = (actor: Actor): Actor => ({
  ...actor,
  call: new DocumentedCaller(document, service.url, actor.call.cookie),
});
/** Actors whose answers are held against the description. */
export const anonymous = checked(actors.anonymous);
/** An ordinary user. */
export const owner = checked(actors.owner);
/** An administrator. */
export const admin = checked(actors.admin);
/** Callers with every set of rights. */
export const everybody = [anonymous, owner, checked(actors.other), checked(actors.developer), admin];
/** They make records, each in the name of its actor. */
export const factories = { owner: new Factory(seeder, owner), admin: new Factory(seeder, admin) };

/** A record of a kind, of somebody who may have one. */
export const someRecordOf = (kind: LinkedKind): Promise<string> =>
  (kind.create.includes('owner') || kind.create.includes('public')
    ? factories.owner
    : factories.admin
  ).parent(kind);
/** A new record of a kind, of somebody who may have one. */
export const newRecordOf = (kind: LinkedKind): Promise<string> =>
  (kind.create.includes('owner') || kind.create.includes('public')
    ? factories.owner
    : factories.admin
  ).create(kind);

/** The schemas of the description, by name. */
export const schemas = (document.document.components as Json).schemas as Record<string, Json>;
/** One of them; empty if there is none. */
export const schemaOf = (name: string): Json => schemas[name] ?? {};
/** The parameters of an operation, references resolved. */
export const parametersOf = ({ said }: DocumentedOperation): Json[] =>
  ((said.parameters ?? []) as Json[]).map((one) => document.resolve(one));
/** Path below `/api/v1`, as callers take it. */
export const pathBelowVersion = (path: string) =>
  path.startsWith('/api/v1') ? path.slice('/api/v1'.length) : `/${path}`;
/** The kind to which a path of the description belongs. */
export const kindAt = (path: string): LinkedKind | undefined =>
  seeder.graph
    .all()
    .find((kind) => path.startsWith(`/api/v1/${kind.path}/`) || path === `/api/v1/${kind.path}`);

/** The operations that Kindred has beside the standard ones of its kinds. */
const KNOWN = new Set(
  (
    'whoami importAvatar readAvatarImage runCronJob login logout readSession readSessionUser endSession echoGet echoPost ' +
    'echoPut echoDelete upload downloadFile live ready readOpenApi'
  ).split(' '),
);

/** Whether an operation is one of the project's own, of which only its author knows what makes it succeed. */
export function isCustom({ id, path }: DocumentedOperation): boolean {
  const kind = kindAt(path);
  if (KNOWN.has(id)) return false;
  if (!kind?.generic) return true;
  const names = [...kind.parents.keys(), ...kind.children.keys()].map(
    (name) => `/{id}/${name.toLowerCase()}`,
  );
  return !['', '/options', '/{id}', ...names].includes(path.slice(`/api/v1/${kind.path}`.length));
}

/** An id that fits a path of the description. */
export const idFor = async (path: string): Promise<string> => {
  const kind = kindAt(path);
  return kind?.generic && path.includes('{id}') ? someRecordOf(kind) : 'vnothing1';
};
