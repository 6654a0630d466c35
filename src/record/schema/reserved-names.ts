/*
 * Names that no prop may have, because somebody else reads them. Declarations are checked with this list at start
 * (kind-checks.ts), and the generators check with it before they write anything.
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

/** Words of the protocol: path segments beside ids. */
const PROTOCOL = ['options'];

/** What every JavaScript object has or is asked for: a class can't have such a field, or means something else by it. */
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
