import { forbidden, type ApiError } from '../../common/errors.js';
import type { Viewer } from '../../common/viewer.js';
import type { RowValues } from '../row.js';
import type { Child, LinkedKind, Parent } from '../schema/kind-graph.js';
import type { PropDef } from '../schema/prop.js';
import {
  type AccessScope,
  authorizationError,
  EVERY_ROW,
  NO_ROW,
  rowScope,
  seesProp,
  viewScope,
} from './access.js';

/*
 * Which props a list may compare, and which relations a reader may follow. Nothing may reveal what can't be seen.
 */

/** Refuses to filter or sort by a prop that the viewer sees on no row, whatever the values. */
export function denyCompare(prop: PropDef, kind: LinkedKind, viewer: Viewer): ApiError | null {
  return viewScope(prop, kind, viewer) === NO_ROW
    ? forbidden(`You may not see ${prop.name}, so you can’t filter or sort by it.`, prop.name)
    : null;
}

/** The props that a search compares, by the rows on which it does. */
export function searchedProps(kind: LinkedKind, viewer: Viewer): Map<AccessScope, readonly PropDef[]> {
  const searched = new Map<AccessScope, PropDef[]>();
  for (const prop of kind.props.filter((one) => one.filterQuery)) {
    const where = viewScope(prop, kind, viewer);
    if (where !== NO_ROW) searched.set(where, [...(searched.get(where) ?? []), prop]);
  }
  return searched;
}

/**
 * Of the rows that lists show the viewer: those on which it may see `prop`. Every row if there are no others; on those the
 * value is treated as if it were null.
 */
export function listedScope(prop: PropDef, kind: LinkedKind, viewer: Viewer): AccessScope {
  const seen = viewScope(prop, kind, viewer);
  return (rowScope(kind, viewer) & ~seen) === 0 ? EVERY_ROW : seen;
}

/** Refuses to follow a relation of a row, which the viewer may see. */
export function denyFollow(
  { prop }: Parent | Child,
  segment: string,
  kind: LinkedKind,
  viewer: Viewer,
  row: RowValues,
): ApiError | null {
  return seesProp(prop, kind, viewer, row)
    ? null
    : authorizationError(viewer, `You may not see ${segment} of this ${kind.kind}.`, prop.name);
}
