import { mayCreate, reaches, rowReach, viewReach } from '../access/access.js';
import type { Link } from './envelope.js';
import { type Child, type LinkedKind, type Parent, segmentOf } from '../schema/kind-graph.js';
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
    const follows = reaches(viewReach(relation.prop, kind, viewer), isOwner) && hasEnd(relation, viewer);
    links[name] = { href: `${self}/${segmentOf(name)}`, methods: follows ? ['GET'] : [], usage: 'rest' };
  }
  return links;
}

/** Whether there can be anything at the other end for this viewer. */
function hasEnd(relation: Parent | Child, viewer: Viewer): boolean {
  if (!('foreignProp' in relation)) return true;
  const { kind, foreignProp } = relation;
  return rowReach(kind, viewer) !== 'none' && viewReach(foreignProp, kind, viewer) !== 'none';
}

function selfMethods(kind: LinkedKind, isOwner: boolean): string[] {
  if (!isOwner || kind.readOnly) return ['GET'];
  return kind.generic ? ['GET', 'PUT', 'DELETE'] : ['GET', 'DELETE'];
}
