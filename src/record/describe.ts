import type { Warning } from '../http/errors.js';
import { editsProp, owns, reaches, type Reach, seesRow, viewReach } from './access.js';
import type { Envelope, ListEnvelope } from './envelope.js';
import type { Includes } from './includes.js';
import type { LinkedKind, Parent } from './kind-graph.js';
import { linksOf } from './links.js';
import { hasOptions, type Option, optionsOf } from './options.js';
import type { PropDef } from './prop.js';
import { PROP_TYPES } from './prop-types.js';
import type { RecordAnswer } from './record-answer.js';
import type { RecordEngine } from './record-engine.js';
import type { Row } from './row.js';
import type { Viewer } from './viewer.js';

/** What stands beside the props of one page, loaded once for all its rows. */
interface Surroundings {
  readonly related: ReadonlyMap<Parent, ReadonlyMap<string, Envelope>>;
  readonly options: ReadonlyMap<PropDef, readonly Option[]>;
  readonly extras: ReadonlyMap<string, readonly unknown[]>;
  readonly warnings: Warning[];
}

/**
 * Rows → the JSON answer. Asks the database once per included relation and the service once per extra and dynamic
 * option list, never per row.
 */
export async function describeAnswer(
  engine: RecordEngine,
  answer: RecordAnswer,
): Promise<Envelope | ListEnvelope> {
  const { kind, rows, viewer, includes } = answer;
  const around = await surroundings(engine, answer);
  const items = describeRows(engine, kind, rows, viewer, includes, answer.meta, around);
  const warnings = [...answer.warnings, ...around.warnings];
  const beside = warnings.length ? { warnings } : {};
  if (answer.paging) return { paging: answer.paging, items, ...beside };
  return { ...(items[0] ?? { props: {} }), ...beside };
}

async function surroundings(engine: RecordEngine, answer: RecordAnswer): Promise<Surroundings> {
  const { kind, rows, viewer, includes } = answer;
  const related = new Map<Parent, ReadonlyMap<string, Envelope>>();
  const options = new Map<PropDef, readonly Option[]>();
  const extras = new Map<string, readonly unknown[]>();
  const service = engine.service(kind);
  for (const parent of includes.related) {
    related.set(parent, await relatedRecords(engine, answer, parent));
  }
  if (includes.options) {
    for (const prop of kind.props.filter(hasOptions)) {
      options.set(prop, await optionsOf(prop, service.optionSources, viewer));
    }
  }
  for (const name of includes.extras)
    extras.set(name, (await service.extras.get(name)?.(rows, viewer)) ?? []);
  return { related, options, extras, warnings: [] };
}

/** The parents that the viewer may know of and see, by row id, described one level deep. */
async function relatedRecords(
  engine: RecordEngine,
  { kind, rows, viewer, includes }: RecordAnswer,
  parent: Parent,
): Promise<Map<string, Envelope>> {
  const where = viewReach(parent.prop, kind, viewer);
  const ids = rows
    .filter((row) => reaches(where, owns(kind, viewer, row)))
    .map((row) => row[parent.prop.name])
    .filter((id) => typeof id === 'string');
  const found = [...(await engine.store.getMany(parent.kind, ids)).values()];
  const visible = found.filter((row) => seesRow(parent.kind, viewer, row));
  const shallow: Includes = { ...includes, related: [], extras: [], options: false };
  const envelopes = describeRows(engine, parent.kind, visible, viewer, shallow, {}, null);
  return new Map(visible.map((row, i) => [String(row.id), envelopes[i] ?? { props: {} }]));
}

function describeRows(
  engine: RecordEngine,
  kind: LinkedKind,
  rows: readonly Row[],
  viewer: Viewer,
  includes: Includes,
  meta: Readonly<Record<string, unknown>>,
  around: Surroundings | null,
): Envelope[] {
  const service = engine.service(kind);
  const ids = service.publicIds(rows);
  const owned = rows.map((row) => owns(kind, viewer, row));
  const props = describeProps(engine, kind, rows, viewer, ids, owned);
  const wantsMeta = includes.meta || Object.keys(meta).length > 0;
  return rows.map((row, i) => {
    const isOwner = owned[i] ?? false;
    const id = ids[i] ?? '';
    const envelope: Envelope = { props: props[i] ?? {} };
    if (includes.links) {
      envelope.links = {
        ...linksOf(engine.basePath, kind, id, viewer, isOwner),
        ...service.describeLinks(row, id, viewer, isOwner),
      };
    }
    if (wantsMeta) {
      const realId = kind.byName.get('id')?.allowRealPubicId ? { realId: Number(row.id) } : {};
      envelope.meta = {
        kind: kind.kind,
        isOwner,
        ...realId,
        ...service.describeMeta(row, viewer, isOwner),
        ...meta,
      };
    }
    if (around) describeSurroundings(envelope, kind, row, i, isOwner, viewer, includes, around);
    return envelope;
  });
}

/** `props` of each row: exactly those that the viewer may see on it. Ids are encrypted a page at a time. */
function describeProps(
  engine: RecordEngine,
  kind: LinkedKind,
  rows: readonly Row[],
  viewer: Viewer,
  ids: readonly string[],
  owned: readonly boolean[],
): Record<string, unknown>[] {
  const all: Record<string, unknown>[] = rows.map(() => ({}));
  for (const [prop, where] of visibleProps(kind, viewer)) {
    const parentIds = prop.relation?.type === 'parent' ? encodeColumn(engine, prop, rows) : null;
    const { output } = PROP_TYPES[prop.type];
    rows.forEach((row, i) => {
      const props = all[i];
      if (!props || !reaches(where, owned[i] ?? false)) return;
      if (prop.name === 'id') props.id = ids[i];
      else props[prop.name] = parentIds ? parentIds[i] : output(row[prop.name] ?? null);
    });
  }
  return all;
}

const visible = new WeakMap<LinkedKind, Map<string, [PropDef, Reach][]>>();

/** The stored props that viewers of this class may see on some row. Worked out once per kind and class of viewers. */
function visibleProps(kind: LinkedKind, viewer: Viewer): [PropDef, Reach][] {
  const byClass = visible.get(kind) ?? new Map<string, [PropDef, Reach][]>();
  visible.set(kind, byClass);
  let props = byClass.get(viewer.viewerClass);
  if (!props) {
    props = kind.props
      .filter((prop) => PROP_TYPES[prop.type].column(prop) !== null)
      .map((prop): [PropDef, Reach] => [prop, viewReach(prop, kind, viewer)])
      .filter(([, where]) => where !== 'none');
    byClass.set(viewer.viewerClass, props);
  }
  return props;
}

function encodeColumn(engine: RecordEngine, prop: PropDef, rows: readonly Row[]): (string | null)[] {
  const present = rows.map((row) => row[prop.name]).filter((id) => typeof id === 'string');
  const encoded = engine.service(engine.graph.get(prop.relation?.kind ?? '')).publicIdsOf(present);
  let next = 0;
  return rows.map((row) => (typeof row[prop.name] === 'string' ? (encoded[next++] ?? null) : null));
}

function describeSurroundings(
  envelope: Envelope,
  kind: LinkedKind,
  row: Row,
  index: number,
  isOwner: boolean,
  viewer: Viewer,
  includes: Includes,
  around: Surroundings,
): void {
  if (includes.related.length) {
    envelope.related = Object.fromEntries(
      includes.related.map((parent) => [
        parent.relation.name,
        relatedOf(parent, kind, row, isOwner, viewer, around),
      ]),
    );
  }
  if (includes.options) {
    envelope.options = {};
    for (const [prop, options] of around.options) {
      const shown = reaches(viewReach(prop, kind, viewer), isOwner) || (isOwner && editsProp(prop, viewer));
      if (shown) envelope.options[prop.name] = options;
    }
  }
  if (includes.extras.length) {
    envelope.extras = Object.fromEntries(
      includes.extras.map((name) => [name, around.extras.get(name)?.[index] ?? null]),
    );
  }
}

/** A row's parent, or null: there is none, or (with a warning) none that the viewer may see. */
function relatedOf(
  parent: Parent,
  kind: LinkedKind,
  row: Row,
  isOwner: boolean,
  viewer: Viewer,
  around: Surroundings,
): Envelope | null {
  const known = reaches(viewReach(parent.prop, kind, viewer), isOwner);
  const id = row[parent.prop.name];
  const found = known && typeof id === 'string' ? (around.related.get(parent)?.get(id) ?? null) : null;
  const withheld = found === null && (!known || id !== null);
  const name = parent.relation.name;
  if (withheld && !around.warnings.some((warning) => warning.data === name)) {
    around.warnings.push({ code: 403, message: `You may not see ${name} of every record here.`, data: name });
  }
  return found;
}
