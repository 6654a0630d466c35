import { invalid, type Warning } from '../../common/errors.js';
import type { QueryParams } from '../../http/query.js';
import type { LinkedKind, Parent } from '../schema/kind-graph.js';
import { QueryReader } from './query-reader.js';

/** The data that a caller requests beside `props`. */
export interface Includes {
  readonly meta: boolean;
  readonly links: boolean;
  readonly options: boolean;
  readonly related: readonly Parent[];
  readonly extras: readonly string[];
}

/** What of it holds for the related records too. */
export function includesOfRelated(includes: Includes): Includes {
  return { ...includes, related: [], extras: [], options: false };
}

/** The includes of a request without include parameters. */
const NO_INCLUDES: Includes = { meta: false, links: false, options: false, related: [], extras: [] };

/**
 * Reads the include parameters.
 * @param extras the extras that the kind's service offers, by name
 * @throws ApiError 442 for an unknown parent relation or extra
 */
export function parseIncludes(
  query: QueryReader,
  kind: LinkedKind,
  extras: ReadonlyMap<string, unknown>,
): Includes {
  return {
    meta: query.flag('includeMeta'),
    links: query.flag('includeLinks'),
    options: query.flag('includeOptions'),
    related: query.list('includeRelated').map((name) => {
      const parent = kind.parents.get(name);
      if (!parent)
        throw invalid(
          'includeRelated',
          `includeRelated must name parent relations of ${kind.kind}: ${names(kind.parents.keys())}.`,
        );
      return parent;
    }),
    extras: query.list('includeExtra').map((name) => {
      if (!extras.has(name))
        throw invalid(
          'includeExtra',
          `includeExtra must name extras of ${kind.kind}: ${names(extras.keys())}.`,
        );
      return name;
    }),
  };
}

/** The same for the response with a single record, which takes no other parameters: others cause a warning. */
export function includesOf(
  query: QueryParams,
  kind: LinkedKind,
  extras: ReadonlyMap<string, unknown>,
): { includes: Includes; warnings: readonly Warning[] } {
  if (!query.size) return { includes: NO_INCLUDES, warnings: [] };
  const reader = new QueryReader(query);
  const includes = parseIncludes(reader, kind, extras);
  return { includes, warnings: reader.unknown() };
}

function names(list: Iterable<string>): string {
  return [...list].join(', ') || 'it has none';
}
