import type { Requester } from '../../common/requester.js';
import { notFound } from '../../common/errors.js';
import type { Viewer } from '../../common/viewer.js';
import type { QueryParams } from '../../http/query.js';
import { denyList, seesRow } from '../access/access.js';
import { denyFollow } from '../access/reading.js';
import { type Includes, includesOf, includesOfRelated } from '../query/includes.js';
import { type ListContext, type ListPlan, planList } from '../query/list-query.js';
import { maxRowBytes } from '../query/row-bytes.js';
import type { RecordEngine } from '../record-engine.js';
import type { Row } from '../row.js';
import { type LinkedKind, relationAt } from '../schema/kind-graph.js';
import { columnOf } from '../schema/prop.js';
import { pagingOf } from './envelope.js';
import { rowsPerPart } from './hook-results.js';
import { includedDataOf, listedPage } from './included-data.js';
import { rowsContext } from './list-context.js';
import type { PagePart } from './large-pages.js';
import { RecordResponse } from './record-response.js';

/** A request for a list. */
export interface ListRequest {
  readonly viewer: Viewer;
  readonly query: QueryParams;
  readonly requester: Requester;
  /** For a child list: only rows whose `prop` holds this row id. */
  readonly parent?: ListContext['parent'];
}

/**
 * A page of the rows that the viewer may see, with its included data. It is read when there is room for it.
 * @throws ApiError 401, 403, 442
 */
export async function listResponse(
  engine: RecordEngine,
  kind: LinkedKind,
  request: ListRequest,
): Promise<RecordResponse> {
  const { viewer, query, requester } = request;
  const denied = denyList(kind, viewer);
  if (denied) throw denied;
  const plan = planList(query, {
    ...rowsContext(engine, kind, viewer),
    extras: engine.service(kind).extras,
    parent: request.parent,
  });
  return engine.largePages.run(partsOf(engine, kind, viewer, plan), requester, async (pace) => {
    const { rows, total } = await engine.lists.read(kind, plan, requester);
    const page = await listedPage(engine, { kind, viewer, rows, includes: plan.includes });
    const included = await includedDataOf(engine, page);
    const related = [...included.related.values()].map(({ kind, rows }) => ({ table: kind.table, rows }));
    await pace([{ table: kind.table, rows }, ...related]);
    const paging = pagingOf(plan.page, plan.itemsPerPage, Math.min(total, plan.maxItems));
    return new RecordResponse(page, included, plan.warnings, {}, paging);
  });
}

/**
 * The response for a relation of a row that the viewer may see: a child list or the parent record.
 * @throws ApiError 401, 403, 404, 442
 */
export async function relationResponse(
  engine: RecordEngine,
  kind: LinkedKind,
  row: Row,
  segment: string,
  request: ListRequest,
): Promise<RecordResponse> {
  const { viewer, query } = request;
  const relation = relationAt(kind, segment);
  if (!relation) throw notFound();
  const denied = denyFollow(relation, segment, kind, viewer, row);
  if (denied) throw denied;
  if ('foreignProp' in relation) {
    return listResponse(engine, relation.kind, {
      ...request,
      parent: { prop: relation.foreignProp, id: row.id },
    });
  }
  const { includes, warnings } = includesOf(query, relation.kind, engine.service(relation.kind).extras);
  const id = row[columnOf(relation.prop)];
  const parent = typeof id === 'string' ? await engine.store.get(relation.kind, id) : null;
  if (!parent || !seesRow(relation.kind, viewer, parent)) throw notFound();
  const page = { kind: relation.kind, viewer, rows: [parent], includes };
  return new RecordResponse(page, await includedDataOf(engine, page), warnings);
}

/** The rows of a page and those that are included. */
function partsOf(engine: RecordEngine, kind: LinkedKind, viewer: Viewer, plan: ListPlan): PagePart[] {
  const { itemsPerPage: count, includes } = plan;
  const part = (one: LinkedKind, asked: Includes) => {
    const { all, visible } = maxRowBytes(engine.store.sql(one), viewer);
    const forHooks = rowsPerPart(engine, { kind: one, viewer, includes: asked }) ?? 0;
    const maxBytes = Math.min(count * visible, engine.store.pageBytes) + Math.min(count, forHooks) * all;
    return { table: one.table, count, maxBytes };
  };
  const related = includesOfRelated(includes);
  return [part(kind, includes), ...includes.related.map((parent) => part(parent.kind, related))];
}
