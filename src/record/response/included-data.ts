import { allows, viewScope } from '../access/access.js';
import { type Includes, includesOfRelated } from '../query/includes.js';
import { planIncluded } from '../query/list-query.js';
import type { Parent } from '../schema/kind-graph.js';
import { type HookResults, hookResults, type ListedRows } from './hook-results.js';
import { rowsContext } from './list-context.js';
import { hasOptions, type Option, optionsOf } from './options.js';
import { columnOf, type PropDef } from '../schema/prop.js';
import type { RecordEngine } from '../record-engine.js';

/** Rows of one kind, their viewer, and the requested includes. */
export interface Page extends ListedRows {
  /** For rows that are not whole: what hooks return for them. */
  readonly hooks?: HookResults | null;
  /** Public ids of the rows, if they are already known. */
  readonly ids?: readonly string[];
}

/** Data beside the props of a page that is not in its rows. Loaded once for all of them. */
export interface IncludedData {
  /** By parent relation: the parents of the rows that the viewer may know of and see, with no more beside them. */
  readonly related: ReadonlyMap<Parent, Page>;
  readonly options: ReadonlyMap<PropDef, readonly Option[]>;
  /** By the extra's name: one value per row. */
  readonly extras: ReadonlyMap<string, readonly unknown[]>;
}

/** The included data of a page without includes. */
const NO_INCLUDED_DATA: IncludedData = { related: new Map(), options: new Map(), extras: new Map() };

/** A page of rows that a list has read. */
export async function listedPage(engine: RecordEngine, rows: ListedRows): Promise<Page> {
  return { ...rows, hooks: await hookResults(engine, rows) };
}

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
  const { kind, rows, viewer, includes, hooks } = page;
  const related = new Map<Parent, Page>();
  const options = new Map<PropDef, readonly Option[]>();
  const extras = new Map<string, readonly unknown[]>();
  const service = engine.service(kind);
  for (const parent of includes.related) related.set(parent, await relatedPage(engine, page, parent));
  if (includes.options) {
    for (const prop of kind.props.filter(hasOptions)) {
      options.set(prop, await optionsOf(prop, service.optionSources, viewer));
    }
  }
  for (const name of includes.extras) {
    extras.set(
      name,
      hooks ? (hooks.extras.get(name) ?? []) : ((await service.extras.get(name)?.(rows, viewer)) ?? []),
    );
  }
  return { related, options, extras };
}

async function relatedPage(engine: RecordEngine, page: Page, parent: Parent): Promise<Page> {
  const { kind, rows, viewer, includes } = page;
  const where = viewScope(parent.prop, kind, viewer);
  const ids = rows
    .filter((row) => allows(where, kind, viewer, row))
    .map((row) => row[columnOf(parent.prop)])
    .filter((id) => typeof id === 'string');
  const plan = planIncluded(rowsContext(engine, parent.kind, viewer), [...new Set(ids)]);
  const parents = ids.length ? await engine.lists.rows(plan) : [];
  return listedPage(engine, {
    kind: parent.kind,
    viewer,
    rows: parents,
    includes: includesOfRelated(includes),
  });
}
