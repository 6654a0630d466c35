import type { Components } from '../../openapi-model/components.js';
import { type JsonSchema, objectOf, orNull, type Schemas } from '../../openapi-model/json-schema.js';
import type { ServedKind } from './served-kind.js';
import { link, optionList, paging, warnings } from '../../openapi-model/shared-schemas.js';
import { isSeenWithRow } from '../access/access.js';
import { isEverSeen } from '../access/openness.js';
import { inheritsOwner, isTaken, namesOwner } from '../access/writing.js';
import { withArticle } from '../../common/indefinite-article.js';
import { EXAMPLE_ID } from '../ids/ids.js';
import type { LinkedKind } from '../schema/kind-graph.js';
import { hasOptions } from '../response/options.js';
import type { PropDef } from '../schema/prop.js';
import { PROP_TYPES } from '../schema/prop-types.js';
import type { RecordHooks } from '../record-hooks.js';

/*
 * JSON Schemas of a kind, each a function of the declaration and of the service's own `schemas`. Responses leave out props
 * that nobody may see, bodies leave out props that nobody may set.
 */

/** `props`. A prop may be absent if not every caller who sees the record sees it. */
export function propsSchema({ kind, service }: ServedKind): JsonSchema {
  const seen = kind.props.filter((prop) => PROP_TYPES[prop.type].column(prop) !== null && isEverSeen(prop));
  const always = seen.filter((prop) => isSeenWithRow(prop, kind)).map(({ name }) => name);
  const schemas = seen.map((prop) => [
    prop.name,
    described(prop, PROP_TYPES[prop.type].schemas(prop).response, service),
  ]);
  return {
    description: `${kind.description} Props that you may not see are absent.`.trim(),
    ...objectOf(Object.fromEntries(schemas) as Schemas, always),
  };
}

/** The body that creates a record. */
export function createSchema({ kind, service }: ServedKind): JsonSchema {
  const taken = kind.props.filter((prop) => isTaken(prop, 'create'));
  const schemas = taken.map((prop): [string, JsonSchema] => {
    const hasDefault = prop.default !== undefined && prop.default !== '';
    return [prop.name, { ...bodySchema(prop, service), ...(hasDefault && { default: prop.default }) }];
  });
  const required = taken.filter((prop) => isNeeded(prop, kind)).map(({ name }) => name);
  return objectOf(Object.fromEntries(schemas), required);
}

/** The body that changes a record. Missing props stay as they are. */
export function updateSchema({ kind, service }: ServedKind): JsonSchema {
  const taken = kind.props.filter((prop) => isTaken(prop, 'update'));
  return objectOf(Object.fromEntries(taken.map((prop) => [prop.name, bodySchema(prop, service)])), []);
}

/**
 * A body that creates a record: required props, the prop that makes the creator the owner, and props with an example. Null
 * if no value is known for one of them.
 */
export function createExample(kind: LinkedKind): Record<string, unknown> | null {
  const isWanted = (prop: PropDef) => isNeeded(prop, kind) || inheritsOwner(prop, kind) || isShown(prop);
  return exampleOf(kind.props.filter((prop) => isTaken(prop, 'create') && isWanted(prop)));
}

/** A body that changes one prop; null if no value is known. */
export function updateExample(kind: LinkedKind): Record<string, unknown> | null {
  const taken = kind.props.filter((prop) => isTaken(prop, 'update') && !prop.relation);
  const plain = taken.filter((prop) => !prop.unique && !prop.writeOnly);
  const [first] = [...plain.filter(isShown), ...plain, ...taken];
  return exampleOf(first ? [first] : []);
}

/** One record in a response; `created`: in the response to a create. */
export function recordSchema(served: ServedKind, components: Components, created = false): JsonSchema {
  const { kind, service } = served;
  const { meta = {}, createMeta = {} } = service.schemas;
  const extras = [...service.extras.keys()].map((name) => [name, service.schemas.extras?.[name] ?? {}]);
  const related = [...kind.parents].map(([name, parent]): [string, JsonSchema] => [
    name,
    orNull(relatedSchema(served.other(parent.kind), components)),
  ]);
  const base = baseEnvelope(served, components);
  return objectOf(
    {
      ...base,
      ...(created && { meta: metaSchema(kind, { ...meta, ...createMeta }) }),
      ...(related.length && {
        related: { ...objectOf(Object.fromEntries(related), []), description: 'With `includeRelated`.' },
      }),
      options: { ...optionsSchema(kind, components), description: 'With `includeOptions`.' },
      ...(extras.length && {
        extras: {
          ...objectOf(Object.fromEntries(extras) as Schemas, []),
          description: 'With `includeExtra`.',
        },
      }),
      warnings: warnings(components),
    },
    created ? ['props', 'meta'] : ['props'],
  );
}

/** A page of records. */
export function listSchema(served: ServedKind, components: Components): JsonSchema {
  const { kind } = served;
  const items = components.schema(`${kind.kind}.Record`, () => recordSchema(served, components));
  return objectOf(
    { paging: paging(components), items: { type: 'array', items }, warnings: warnings(components) },
    ['paging', 'items'],
  );
}

/** The option lists of a kind, by prop. */
export function optionsSchema(kind: LinkedKind, components: Components): JsonSchema {
  return components.schema(`${kind.kind}.Options`, () => {
    const lists = kind.props.filter(hasOptions).map((prop) => [prop.name, optionList(components)]);
    return {
      description: 'The choices for the props that you could see or set, by prop.',
      ...objectOf(Object.fromEntries(lists) as Schemas, []),
    };
  });
}

/** A related record, without included data of its own. */
function relatedSchema(served: ServedKind, components: Components): JsonSchema {
  return components.schema(`${served.kind.kind}.Related`, () =>
    objectOf(baseEnvelope(served, components), ['props']),
  );
}

function baseEnvelope(served: ServedKind, components: Components): Schemas {
  const { kind, service } = served;
  const links = ['base', 'self', ...kind.parents.keys(), ...kind.children.keys()];
  const own = Object.entries(service.schemas.links ?? {}).map(([name, description]) => [
    name,
    { ...link(components), description },
  ]);
  const all = [...links.map((name) => [name, link(components)]), ...own];
  return {
    props: components.schema(kind.kind, () => propsSchema(served)),
    links: { ...objectOf(Object.fromEntries(all) as Schemas, links), description: 'With `includeLinks`.' },
    meta: { ...metaSchema(kind, service.schemas.meta ?? {}), description: 'With `includeMeta`.' },
  };
}

function metaSchema(kind: LinkedKind, own: Schemas): JsonSchema {
  const realId: Schemas = kind.byName.get('id')?.allowRealPubicId ? { realId: { type: 'integer' } } : {};
  const always: Schemas = {
    kind: { type: 'string', const: kind.kind },
    isOwner: { type: 'boolean', description: 'Whether you own the record.' },
    ...realId,
    ...own,
  };
  const deleted: JsonSchema = {
    type: 'boolean',
    const: true,
    description: 'This request deleted the record.',
  };
  return objectOf({ ...always, deleted }, Object.keys(always));
}

/** Whether the body of a create must have the prop, because nothing else sets it (change-set.ts). */
function isNeeded(prop: PropDef, kind: LinkedKind): boolean {
  const isFilled = (prop.default !== undefined && prop.default !== '') || namesOwner(prop, kind);
  return prop.required === true && !isFilled;
}

const isShown = (prop: PropDef): boolean => prop.example !== undefined || prop.format?.example !== undefined;

function bodySchema(prop: PropDef, service: RecordHooks): JsonSchema {
  return described(prop, PROP_TYPES[prop.type].schemas(prop).body, service);
}

function described(prop: PropDef, schema: JsonSchema, { schemas }: RecordHooks): JsonSchema {
  const format = prop.format ? `Must be ${prop.format.rule}.` : '';
  const parent = prop.relation?.type === 'parent' ? `The id of ${withArticle(prop.relation.kind)}.` : '';
  const description = [parent, prop.description, format].filter(Boolean).join(' ');
  const whole = { ...schema, ...schemas.props?.[prop.name], ...(description && { description }) };
  return prop.required ? whole : orNull(whole);
}

function exampleOf(props: readonly PropDef[]): Record<string, unknown> | null {
  const value = (prop: PropDef) =>
    prop.relation ? EXAMPLE_ID : PROP_TYPES[prop.type].schemas(prop).body.examples?.[0];
  const entries = props.map((prop): [string, unknown] => [prop.name, value(prop)]);
  return entries.some(([, one]) => one === undefined) ? null : Object.fromEntries(entries);
}
