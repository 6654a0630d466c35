import { couldChoose, denyChoose } from '../access/offers.js';
import type { LinkedKind } from '../schema/kind-graph.js';
import type { PropDef } from '../schema/prop.js';
import type { Viewer } from '../../common/viewer.js';

/** One choice of an enumerated prop; `value` is always a text, also for booleans. */
export interface Option {
  readonly label: string;
  readonly value: string;
}

/** A dynamic option list (prop attribute `options`), provided by the kind's service. */
export type OptionSource = (viewer: Viewer) => readonly Option[] | Promise<readonly Option[]>;

/** Whether a prop has an option list at all. */
export function hasOptions(prop: PropDef): boolean {
  return prop.enums !== undefined || prop.options !== undefined || acceptedExtensions(prop) !== null;
}

/**
 * The option list of a prop that has one.
 * @param sources the dynamic lists of the kind's service; the start checks that each named one is there
 */
export async function optionsOf(
  prop: PropDef,
  sources: ReadonlyMap<string, OptionSource>,
  viewer: Viewer,
): Promise<readonly Option[]> {
  if (prop.options !== undefined) return (await sources.get(prop.options)?.(viewer)) ?? [];
  const extensions = acceptedExtensions(prop);
  if (extensions) return extensions.map((extension) => ({ label: extension, value: extension }));
  return (prop.enums ?? []).map((value, i) => ({
    label: prop.enumLabels?.[i] ?? String(value),
    value: String(value),
  }));
}

/**
 * The option lists of the props that the viewer could see or edit on a record of its own (`GET /<path>/options`).
 * @throws ApiError 401, 403
 */
export async function optionLists(
  kind: LinkedKind,
  sources: ReadonlyMap<string, OptionSource>,
  viewer: Viewer,
): Promise<Record<string, readonly Option[]>> {
  const denied = denyChoose(kind, viewer);
  if (denied) throw denied;
  const lists: Record<string, readonly Option[]> = {};
  for (const prop of kind.props.filter((prop) => hasOptions(prop) && couldChoose(prop, kind, viewer))) {
    lists[prop.name] = await optionsOf(prop, sources, viewer);
  }
  return lists;
}

function acceptedExtensions(prop: PropDef): readonly string[] | null {
  return prop.relation?.type === 'parent' ? (prop.relation.acceptedFileExtensions ?? null) : null;
}
