/*
 * Names that no prop may have because they have another meaning. Declarations are checked against them at start
 * (kind-checks.ts), and the generators check them before they write anything.
 */

/** Every record's own props (kind.ts). */
const BASE = ['id', 'createdAt', 'updatedAt'];

/** The query parameters of lists and includes: a qualifier would have the same name. */
const PARAMETERS = [
  'page',
  'itemsPerPage',
  'sortBy',
  'sortOrder',
  'maxItems',
  'search',
  'includeMeta',
  'includeLinks',
  'includeRelated',
  'includeOptions',
  'includeExtra',
];

/** Path segments beside ids. */
const PROTOCOL = ['options'];

/** Members of every JavaScript object. A class can't have such a field, or it would have another meaning. */
const JAVASCRIPT = [
  ...Object.getOwnPropertyNames(Object.prototype),
  'prototype',
  'then', // whoever awaits the object would call it
  'toJSON', // and JSON.stringify this
];

/** Names that a prop can't be declared with. */
export const RESERVED_PROP_NAMES: ReadonlySet<string> = new Set([
  ...BASE,
  ...PARAMETERS,
  ...PROTOCOL,
  ...JAVASCRIPT,
]);

/** Words of an access list that are not roles, so no boolean prop of User may be called so. */
export const NOT_ROLES: ReadonlySet<string> = new Set(['public', 'owner']);
