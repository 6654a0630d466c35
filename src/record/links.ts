import { mayCreate, reaches, rowReach, viewReach } from './access.js';
import type { Link } from './envelope.js';
import { type LinkedKind, segmentOf } from './kind-graph.js';
import type { Viewer } from './viewer.js';

/**
 * The links of one record: `base`, `self` and every relation. `methods` lists what this caller may do there, so it
 * is empty for a relation that the caller may not follow.
 */
export function linksOf(
  basePath: string,
  kind: LinkedKind,
  id: string,
  viewer: Viewer,
  isOwner: boolean,
): Record<string, Link> {
  const base = `${basePath}/${kind.path}`;
  const self = `${base}/${id}`;
  const baseMethods = [
    ...(kind.generic && rowReach(kind, viewer) !== 'none' ? ['GET'] : []),
    ...(mayCreate(kind, viewer) ? ['POST'] : []),
  ];
  const links: Record<string, Link> = {
    base: { href: base, methods: baseMethods, usage: 'rest' },
    self: { href: self, methods: selfMethods(kind, isOwner), usage: 'rest' },
  };
  for (const [name, relation] of [...kind.parents, ...kind.children]) {
    const isChild = relation.relation.type === 'child';
    const follows =
      reaches(viewReach(relation.prop, kind, viewer), isOwner) &&
      !(isChild && rowReach(relation.kind, viewer) === 'none');
    links[name] = { href: `${self}/${segmentOf(name)}`, methods: follows ? ['GET'] : [], usage: 'rest' };
  }
  return links;
}

function selfMethods(kind: LinkedKind, isOwner: boolean): string[] {
  if (!isOwner || kind.readOnly) return ['GET'];
  return kind.generic ? ['GET', 'PUT', 'DELETE'] : ['GET', 'DELETE'];
}
