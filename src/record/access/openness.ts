import type { Child, LinkedKind, Parent } from '../schema/kind-graph.js';
import type { PropDef, Who } from '../schema/prop.js';
import { viewersOf } from './access.js';

/*
 * Whom a declaration lets in at all, whatever the row: for statements about a kind as a whole, such as the API's
 * description.
 */

/** To whom something is open: nobody, some who are logged in, everybody. */
export type Openness = 'nobody' | 'someone' | 'everybody';

/** To whom the records are open. */
export function listOpenness(kind: LinkedKind): Openness {
  return openness(kind.view);
}

/** To whom a create is open. */
export function createOpenness(kind: LinkedKind): Openness {
  return openness(kind.create);
}

/** To whom the choices for enumerated props are open. */
export function choiceOpenness(kind: LinkedKind): Openness {
  return openness([...kind.view, ...kind.create]);
}

/** To whom changes and deletions are open. */
export function changeOpenness(kind: LinkedKind): Openness {
  const hasOwners = (who: string) => who !== 'owner' || kind.owner.length > 0;
  return kind.readOnly || !kind.write.some(hasOwners) ? 'nobody' : 'someone';
}

/** To whom a relation of a record is open. */
export function relationOpenness({ prop }: Parent | Child, kind: LinkedKind): Openness {
  const own = openness(viewersOf(prop));
  return own === 'everybody' && listOpenness(kind) !== 'everybody' ? 'someone' : own;
}

/** Whether somebody may see `prop`. */
export function isEverSeen(prop: PropDef): boolean {
  return viewersOf(prop).length > 0;
}

function openness(who: Who): Openness {
  if (who.includes('public')) return 'everybody';
  return who.length ? 'someone' : 'nobody';
}
