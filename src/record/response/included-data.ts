import { allows, viewScope } from '../access/access.js';
import { type Includes, includesOfRelated } from '../query/includes.js';
import { planIncluded } from '../query/list-query.js';
import type { LinkedKind, Parent } from '../schema/kind-graph.js';
import { rowsContext } from './list-context.js';
import { hasOptions, type Option, optionsOf } from './options.js';
import { columnOf, type PropDef } from '../schema/prop.js';
import type { RecordEngine } from '../record-engine.js';
import type { Row } from '../row.js';
import type { Viewer } from '../../common/viewer.js';

/** Rows of one kind, their viewer, and the requested includes. */
export interface Page {
  readonly kind: LinkedKind;
  readonly viewer: Viewer;
  readonly rows: readonly Row[];
  readonly includes: Includes;
  /** Public ids of the rows, if they are already known. */
  readonly ids?: readonly string[];
}

/** Data beside the props of a page that is not in its rows. Loaded once for all of them. */
export interface IncludedData {
  /** By parent relation: the parents of the rows that the viewer may know of and see. */
  readonly related: ReadonlyMap<Parent, readonly Row[]>;
  readonly options: ReadonlyMap<PropDef, readonly Option[]>;
  /** By the extra's name: one value per row. */
  readonly extras: ReadonlyMap<string, readonly unknown[]>;
}

/** The included data of a page without includes. */
const NO_INCLUDED_DATA: IncludedData = { related: new Map(), options: new Map(), extras: new Map() };

/** Whether there is anything to load. */
export function includesData({ related, options, extras }: Includes): boolean {
  return options || related.length > 0 || extras.length > 0;
}

/**
 * Loads the included data: one query per included relation, and one call of the service per extra and dynamic option list,
 * never per row.
 */
export function includedDataOf(engine: RecordEngine, page: Page): IncludedData | Promise<IncludedData> {
  return includesData(page.includes) ? load(engine, page) : NO_INCLUDED_DATA;
}

async function load(engine: RecordEngine, page: Page): Promise<IncludedData> {
  const { kind, rows, viewer, includes } = page;
  const related = new Map<Parent, readonly Row[]>();
  const options = new Map<PropDef, readonly Option[]>();
  const extras = new Map<string, readonly unknown[]>();
  const service = engine.service(kind);
  for (const parent of includes.related) related.set(parent, await visibleParents(engine, page, parent));
  if (includes.options) {
    for (const prop of kind.props.filter(hasOptions)) {
      options.set(prop, await optionsOf(prop, service.optionSources, viewer));
    }
  }
  for (const name of includes.extras) {
    extras.set(name, (await service.extras.get(name)?.(rows, viewer)) ?? []);
  }
  return { related, options, extras };
}

async function visibleParents(engine: RecordEngine, page: Page, parent: Parent): Promise<readonly Row[]> {
  const { kind, rows, viewer, includes } = page;
  const where = viewScope(parent.prop, kind, viewer);
  const ids = rows
    .filter((row) => allows(where, kind, viewer, row))
    .map((row) => row[columnOf(parent.prop)])
    .filter((id) => typeof id === 'string');
  if (!ids.length) return [];
  const context = rowsContext(engine, parent.kind, viewer);
  return engine.lists.rows(planIncluded(context, [...new Set(ids)], includesOfRelated(includes)));
}
