import type { Standing } from '../access/access.js';
import { listMethods, recordMethods, relationMethods } from '../access/offers.js';
import type { Link } from './envelope.js';
import { type LinkedKind, segmentOf } from '../schema/kind-graph.js';
import type { Viewer } from '../../common/viewer.js';

/**
 * The links of one record: `base`, `self` and every relation. `methods` lists what this caller may do there, so it
 * is empty for a relation that the caller may not follow.
 */
export function linksOf(
  basePath: string,
  kind: LinkedKind,
  id: string,
  viewer: Viewer,
  standing: Standing,
): Record<string, Link> {
  const base = `${basePath}/${kind.path}`;
  const self = `${base}/${id}`;
  const links: Record<string, Link> = {
    base: { href: base, methods: listMethods(kind, viewer), usage: 'rest' },
    self: { href: self, methods: recordMethods(kind, viewer, standing), usage: 'rest' },
  };
  for (const [name, relation] of [...kind.parents, ...kind.children]) {
    const methods = relationMethods(relation, kind, viewer, standing);
    links[name] = { href: `${self}/${segmentOf(name)}`, methods, usage: 'rest' };
  }
  return links;
}
