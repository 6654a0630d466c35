import type { Warning } from '../../common/errors.js';
import { boundedWarnings } from '../../http/warnings.js';
import {
  type AccessScope,
  covers,
  isOwner,
  NO_ROW,
  type Standing,
  standingOn,
  viewScope,
} from '../access/access.js';
import { choosesOn, mayWrite } from '../access/offers.js';
import type { Envelope, ListEnvelope } from './envelope.js';
import type { Includes } from '../query/includes.js';
import type { LinkedKind, Parent } from '../schema/kind-graph.js';
import { linksOf } from './links.js';
import { columnOf, type PropDef } from '../schema/prop.js';
import { PROP_TYPES } from '../schema/prop-types.js';
import type { RecordResponse } from './record-response.js';
import type { RecordEngine } from '../record-engine.js';
import type { Row } from '../row.js';
import { includesData, type Page, type IncludedData } from './included-data.js';
import type { Viewer } from '../../common/viewer.js';

/** The included data of a page, in JSON. */
interface Included extends Pick<IncludedData, 'options' | 'extras'> {
  /** By parent relation and row id, described one level deep. */
  readonly related: ReadonlyMap<Parent, ReadonlyMap<string, Envelope>>;
  readonly warnings: Warning[];
}

/** A stored value that is shown as null: one that the API could not have written, or an unexpected null. */
export interface Unshowable {
  readonly kind: LinkedKind;
  /** Of the prop. */
  readonly name: string;
  /** Public id of the record. */
  readonly id: string;
}

/**
 * Rows → JSON. An invalid value does not fail the whole page or record: it is shown as null, with a warning.
 * @param report called with the invalid values of all rows
 */
export function toEnvelope(
  engine: RecordEngine,
  response: RecordResponse,
  report: (unshown: readonly Unshowable[]) => void = () => undefined,
): Envelope | ListEnvelope {
  const { page, paging, meta } = response;
  const unshowable: Unshowable[] = [];
  const included = includesData(page.includes) ? includedOf(engine, response, unshowable) : null;
  const items = serializeRows(engine, page, meta, included, unshowable);
  const late = [...(included?.warnings ?? NONE), ...(unshowable.length ? warningsOf(unshowable) : NONE)];
  const all = late.length ? [...response.warnings, ...late] : response.warnings;
  if (unshowable.length) report(unshowable);
  const warnings = all.length ? { warnings: boundedWarnings(all) } : {};
  if (paging) return { paging, items, ...warnings };
  return { ...(items[0] ?? { props: {} }), ...warnings };
}

const NONE: readonly Warning[] = [];

/** One for each prop. */
function warningsOf(unshowable: readonly Unshowable[]): Warning[] {
  return [...new Set(unshowable.map(({ name }) => name))].map((name) => ({
    code: 442,
    message: `A record here has a value in ${name} that can’t be shown, so null stands there.`,
    data: name,
  }));
}

function includedOf(engine: RecordEngine, { included }: RecordResponse, unshowable: Unshowable[]): Included {
  const related = new Map<Parent, ReadonlyMap<string, Envelope>>();
  for (const [parent, page] of included.related) {
    const envelopes = serializeRows(engine, page, {}, null, unshowable);
    related.set(parent, new Map(page.rows.map((row, i) => [row.id, envelopes[i] ?? { props: {} }])));
  }
  return { related, options: included.options, extras: included.extras, warnings: [] };
}

function serializeRows(
  engine: RecordEngine,
  { kind, rows, viewer, includes, ids: known, hooks }: Page,
  meta: Readonly<Record<string, unknown>>,
  included: Included | null,
  unshowable: Unshowable[],
): Envelope[] {
  const service = engine.service(kind);
  const ids = known ?? service.publicIds(rows);
  const standings = rows.map((row) => standingOn(kind, viewer, row));
  const props = serializeProps(engine, kind, rows, viewer, ids, standings, unshowable);
  const wantsMeta = includes.meta || Object.keys(meta).length > 0;
  return rows.map((row, i) => {
    const standing = standings[i] ?? NO_ROW;
    const id = ids[i] ?? '';
    const envelope: Envelope = { props: props[i] ?? {} };
    if (includes.links) {
      envelope.links = {
        ...linksOf(engine.basePath, kind, id, viewer, standing),
        ...(hooks
          ? hooks.links[i]
          : service.serializeLinks(row, id, viewer, isOwner(standing), mayWrite(kind, viewer, standing))),
      };
    }
    if (wantsMeta) {
      const realId = kind.byName.get('id')?.allowRealPubicId ? { realId: Number(row.id) } : {};
      envelope.meta = {
        kind: kind.kind,
        isOwner: isOwner(standing),
        ...realId,
        ...(hooks ? hooks.meta[i] : service.serializeMeta(row, viewer, isOwner(standing))),
        ...meta,
      };
    }
    if (included) describeIncluded(envelope, kind, row, i, standing, viewer, includes, included);
    return envelope;
  });
}

/** `props` of each row: exactly those that the viewer may see on it. Ids are encrypted a page at a time. */
function serializeProps(
  engine: RecordEngine,
  kind: LinkedKind,
  rows: readonly Row[],
  viewer: Viewer,
  ids: readonly string[],
  standings: readonly Standing[],
  unshowable: Unshowable[],
): Record<string, unknown>[] {
  const { on, parents } = visiblePropsOf(kind, viewer);
  const encoded = parents.map((prop) => encodeColumn(engine, prop, rows));
  return rows.map((row, i) => {
    const { empty, cells } = on(standings[i] ?? NO_ROW);
    const props = { ...empty };
    for (const { name, column, output, parent, required } of cells) {
      if (name === 'id') {
        props.id = ids[i];
        continue;
      }
      const value = parent < 0 ? output(row[column] ?? null) : encoded[parent]?.[i];
      // It is null already. Report it, because its schema may not allow null.
      if (value === undefined || (value === null && required))
        unshowable.push({ kind, name, id: ids[i] ?? '' });
      else props[name] = value;
    }
    return props;
  });
}

/** A visible prop. */
interface Cell {
  readonly name: string;
  readonly column: string;
  readonly output: (value: unknown) => unknown;
  readonly required: boolean;
  /** Its index among the parent props, whose ids are encrypted; -1 for other props. */
  readonly parent: number;
}

/** The visible part of a row. */
interface View {
  /** All names with empty values. Copying it is faster than adding names one by one. */
  readonly empty: Readonly<Record<string, unknown>>;
  readonly cells: readonly Cell[];
}

/** What a class of viewers sees. */
interface VisibleProps {
  /** Of a row, by their standing on it. */
  readonly on: (standing: Standing) => View;
  /** The parent props that are in any view. */
  readonly parents: readonly PropDef[];
}

const cache = new WeakMap<LinkedKind, Map<string, VisibleProps>>();

/** Computed once per kind and class of viewers. */
function visiblePropsOf(kind: LinkedKind, viewer: Viewer): VisibleProps {
  const byClass = cache.get(kind) ?? new Map<string, VisibleProps>();
  cache.set(kind, byClass);
  let sight = byClass.get(viewer.viewerClass);
  if (!sight) byClass.set(viewer.viewerClass, (sight = computeVisibleProps(kind, viewer)));
  return sight;
}

function computeVisibleProps(kind: LinkedKind, viewer: Viewer): VisibleProps {
  const props = kind.props
    .filter((prop) => PROP_TYPES[prop.type].column(prop) !== null)
    .map((prop): [PropDef, AccessScope] => [prop, viewScope(prop, kind, viewer)])
    .filter(([, where]) => where !== NO_ROW);
  const parents = props.map(([prop]) => prop).filter((prop) => prop.relation?.type === 'parent');
  const view = (standing: Standing): View => {
    const seen = props.filter(([, where]) => covers(where, standing)).map(([prop]) => prop);
    const cells = seen.map((prop) => ({
      name: prop.name,
      column: columnOf(prop),
      output: PROP_TYPES[prop.type].output(prop),
      required: prop.required === true,
      parent: parents.indexOf(prop),
    }));
    return { empty: Object.fromEntries(cells.map(({ name }) => [name, null])), cells };
  };
  const views: (View | undefined)[] = [];
  return { on: (standing) => (views[standing] ??= view(standing)), parents };
}

function encodeColumn(engine: RecordEngine, prop: PropDef, rows: readonly Row[]): (string | null)[] {
  const column = columnOf(prop);
  const present = rows.map((row) => row[column]).filter((id) => typeof id === 'string');
  const encoded = engine.ids.encodeNamed(prop.relation?.kind ?? '', present);
  let next = 0;
  return rows.map((row) => (typeof row[column] === 'string' ? (encoded[next++] ?? null) : null));
}

function describeIncluded(
  envelope: Envelope,
  kind: LinkedKind,
  row: Row,
  index: number,
  standing: Standing,
  viewer: Viewer,
  includes: Includes,
  included: Included,
): void {
  if (includes.related.length) {
    envelope.related = Object.fromEntries(
      includes.related.map((parent) => [
        parent.relation.name,
        relatedOf(parent, kind, row, standing, viewer, included),
      ]),
    );
  }
  if (includes.options) {
    envelope.options = {};
    for (const [prop, options] of included.options) {
      if (choosesOn(prop, kind, viewer, standing)) envelope.options[prop.name] = options;
    }
  }
  if (includes.extras.length) {
    envelope.extras = Object.fromEntries(
      includes.extras.map((name) => [name, included.extras.get(name)?.[index] ?? null]),
    );
  }
}

/** A row's parent. Null if there is none or, with a warning, if the viewer may not see it. */
function relatedOf(
  parent: Parent,
  kind: LinkedKind,
  row: Row,
  standing: Standing,
  viewer: Viewer,
  included: Included,
): Envelope | null {
  const known = covers(viewScope(parent.prop, kind, viewer), standing);
  const id = row[columnOf(parent.prop)];
  const found = known && typeof id === 'string' ? (included.related.get(parent)?.get(id) ?? null) : null;
  const withheld = found === null && (!known || id !== null);
  const name = parent.relation.name;
  if (withheld && !included.warnings.some((warning) => warning.data === name)) {
    included.warnings.push({
      code: 403,
      message: `You may not see ${name} of every record here.`,
      data: name,
    });
  }
  return found;
}
