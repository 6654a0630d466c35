import type { Components } from '../../openapi-model/components.js';
import type { JsonSchema } from '../../openapi-model/json-schema.js';
import type { ServedKind } from './served-kind.js';
import { isEverSeen } from '../access/openness.js';
import type { LinkedKind } from '../schema/kind-graph.js';
import { DEFAULT_SORT, isSortable, LIST_LIMITS } from '../query/list-query.js';
import type { PropDef } from '../schema/prop.js';
import { PROP_TYPES } from '../schema/prop-types.js';

/*
 * The query parameters of a kind as OpenAPI parameters: a function of the declaration, and the counterpart of
 * list-query.ts and includes.ts, which read them. Parameters that nobody may use are left out.
 */

const FLAGS = {
  includeMeta: 'Adds `meta`, the generated properties.',
  includeLinks: 'Adds `links` to everything around the record.',
} as const;

/** The include parameters of every response with records of the kind. */
export function includeParameters({ kind, service }: ServedKind, components: Components): object[] {
  const query = (name: string, description: string, schema: JsonSchema) =>
    parameter(components, name, description, schema);
  const flag: JsonSchema = { type: 'boolean', default: false };
  const parameters = Object.entries(FLAGS).map(([name, text]) => query(name, text, flag));
  parameters.push(query('includeOptions', 'Adds `options`, the choices of enumerated props.', flag));
  const names = (name: string, words: Iterable<string>, text: string) => {
    const all = [...words];
    if (!all.length) return;
    const schema: JsonSchema = { type: 'array', items: { type: 'string', enum: all } };
    const description = `${text} Repeat the parameter or separate several by commas.`;
    parameters.push(own(components, kind, name, description, schema, { style: 'form', explode: false }));
  };
  names('includeRelated', kind.parents.keys(), 'Adds parent records as `related`.');
  names('includeExtra', service.extras.keys(), 'Adds `extras`.');
  return parameters;
}

/** All parameters of a list of the kind. */
export function listParameters(served: ServedKind, components: Components): object[] {
  const { kind } = served;
  const seen = kind.props.filter(isEverSeen);
  return [
    ...pagingParameters(components),
    ...sortParameters(kind, seen, components),
    ...searchParameters(kind, seen, components),
    ...seen.filter((prop) => prop.filterQualifier).map((prop) => qualifier(kind, prop, components)),
    ...seen.filter((prop) => prop.filterRange).flatMap((prop) => range(kind, prop, components)),
    ...includeParameters(served, components),
  ];
}

function pagingParameters(components: Components): object[] {
  const bounded = (name: 'page' | 'itemsPerPage' | 'maxItems', description: string) => {
    const { max, default: preset } = LIST_LIMITS[name];
    const schema: JsonSchema = { type: 'integer', minimum: 1, maximum: max, default: preset };
    return parameter(components, name, description, schema);
  };
  return [
    bounded('itemsPerPage', 'The most items on a page.'),
    bounded('page', 'The page, from 1.'),
    bounded('maxItems', 'The list ends after this many items.'),
  ];
}

function sortParameters(kind: LinkedKind, seen: readonly PropDef[], components: Components): object[] {
  const names = seen.filter(isSortable).map((prop) => prop.name);
  const by: JsonSchema = { type: 'string', enum: names, default: DEFAULT_SORT.by };
  const order: JsonSchema = { type: 'string', enum: ['asc', 'desc'], default: DEFAULT_SORT.order };
  return [
    own(components, kind, 'sortBy', 'The prop to sort by; values hidden from you sort like null.', by),
    parameter(components, 'sortOrder', 'Null and hidden values come last in `asc`, first in `desc`.', order),
  ];
}

function searchParameters(kind: LinkedKind, seen: readonly PropDef[], components: Components): object[] {
  const names = seen.filter((prop) => prop.filterQuery).map((prop) => `\`${prop.name}\``);
  if (!names.length) return [];
  const text: JsonSchema = { type: 'string', maxLength: LIST_LIMITS.searchCharacters };
  const description = `A text that ${names.join(' or ')} contains, where you may see it, regardless of case and Unicode form.`;
  return [own(components, kind, 'search', description, oneOrMany(text, LIST_LIMITS.searches))];
}

function qualifier(kind: LinkedKind, prop: PropDef, components: Components): object {
  const type = PROP_TYPES[prop.type];
  const { ordered } = type;
  const { pattern, json } = type.schemas(prop).text;
  const operators = ordered ? '>=|<=|<>|!=|>|<' : '<>|!=';
  const form = `^(?:(?:${operators})?(?:\\\\?(?:${pattern ?? ''}))?|(?:<>|!=)?null)?$`;
  const text: JsonSchema = { type: 'string', ...(pattern !== null && { pattern: form }) };
  const description =
    `Only records whose \`${prop.name}\` is this value, or any of these. ` +
    `The value may begin with ${ordered ? '`>`, `>=`, `<`, `<=`, `!=` or `<>`' : '`!=` or `<>`'};` +
    ' `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks ' +
    'like an operator, `null` or a backslash.';
  const schema = oneOrMany(text, LIST_LIMITS.values, json);
  return own(components, kind, prop.name, description, schema);
}

function range(kind: LinkedKind, prop: PropDef, components: Components): object[] {
  const { pattern, json } = PROP_TYPES[prop.type].schemas(prop).text;
  const bound: JsonSchema = json ?? { type: 'string', ...(pattern !== null && { pattern: `^${pattern}$` }) };
  return [
    own(components, kind, `_start_${prop.name}`, `The lower bound of \`${prop.name}\`, inclusive.`, bound),
    own(components, kind, `_end_${prop.name}`, `The upper bound of \`${prop.name}\`, inclusive.`, bound),
  ];
}

function oneOrMany(text: JsonSchema, maxItems: number, json?: JsonSchema): JsonSchema {
  const one = json ? [json, text] : [text];
  const items = one.length > 1 ? { anyOf: one } : text;
  return { anyOf: [...one, { type: 'array', items, maxItems }] };
}

/** A parameter that is the same for every kind. */
function parameter(components: Components, name: string, description: string, schema: JsonSchema): object {
  return components.parameter(name, () => ({ name, in: 'query', description, schema }));
}

/** A parameter that depends on the kind. */
function own(
  components: Components,
  kind: LinkedKind,
  name: string,
  description: string,
  schema: JsonSchema,
  more: object = {},
): object {
  return components.parameter(`${kind.kind}.${name}`, () => ({
    name,
    in: 'query',
    description,
    schema,
    ...more,
  }));
}
