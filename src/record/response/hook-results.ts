import type { Viewer } from '../../common/viewer.js';
import { isOwner, standingOn } from '../access/access.js';
import { mayWrite } from '../access/offers.js';
import type { Includes } from '../query/includes.js';
import { maxRowBytes } from '../query/row-bytes.js';
import type { RecordEngine } from '../record-engine.js';
import type { Row } from '../row.js';
import type { LinkedKind } from '../schema/kind-graph.js';
import type { Link } from './envelope.js';

/** Rows that a list has read for a viewer. */
export interface ListedRows {
  readonly kind: LinkedKind;
  readonly viewer: Viewer;
  readonly rows: readonly Row[];
  readonly includes: Includes;
}

/** What the hooks of a service return for listed rows, in their order. */
export interface HookResults {
  readonly meta: readonly Record<string, unknown>[];
  readonly links: readonly Readonly<Record<string, Link>>[];
  /** By the extra's name. */
  readonly extras: ReadonlyMap<string, readonly unknown[]>;
}

/** How many whole rows are read at a time for hooks: by the declaration no more bytes than a page; null: they are whole. */
export function rowsPerPart(engine: RecordEngine, { kind, viewer, includes }: Omit<ListedRows, 'rows'>) {
  const { all, hidden } = maxRowBytes(engine.store.sql(kind), viewer);
  if (hidden === 0 || !engine.service(kind).readsRows(includes)) return null;
  return Math.max(1, Math.floor(engine.store.pageBytes / all));
}

/**
 * Calls the hooks that look at rows. Lists leave out the long values that are hidden from their viewer, of which there can
 * be any amount, but hooks get whole rows: these are read for them in parts, which are forgotten one after the other.
 * @returns null when the listed rows are whole already, or no hook looks at them
 */
export async function hookResults(engine: RecordEngine, listed: ListedRows): Promise<HookResults | null> {
  const { kind, viewer, rows, includes } = listed;
  const count = rowsPerPart(engine, listed);
  if (count === null) return null;
  const service = engine.service(kind);
  const ids = service.publicIds(rows);
  const meta: Record<string, unknown>[] = [];
  const links: Record<string, Link>[] = [];
  const extras = new Map(includes.extras.map((name): [string, unknown[]] => [name, []]));
  for (let from = 0; from < rows.length; from += count) {
    const part = rows.slice(from, from + count);
    const found = await engine.store.getMany(
      kind,
      part.map(({ id }) => id),
    );
    // What was deleted meanwhile is described as it was listed.
    const whole = part.map((row) => found.get(row.id) ?? row);
    whole.forEach((row, i) => {
      const standing = standingOn(kind, viewer, part[i] ?? row);
      if (includes.meta) meta.push(service.serializeMeta(row, viewer, isOwner(standing)));
      if (includes.links)
        links.push(
          service.serializeLinks(
            row,
            ids[from + i] ?? '',
            viewer,
            isOwner(standing),
            mayWrite(kind, viewer, standing),
          ),
        );
    });
    for (const [name, values] of extras)
      values.push(...((await service.extras.get(name)?.(whole, viewer)) ?? []));
  }
  return { meta, links, extras };
}
