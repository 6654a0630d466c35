import { FIRST_VERSION } from '../../src/common/api-path.js';
import { ApiVersions } from '../../src/record/api-versions.js';
import type { KindGraph, LinkedKind } from '../../src/record/schema/kind-graph.js';
import { fold } from '../../src/record/schema/formats.js';
import { Ids } from '../../src/record/ids/ids.js';
import { columnOf, type PropDef } from '../../src/record/schema/prop.js';
import { type StoredRecord, Snapshot } from './reference-model.js';
import { type TestService } from './service.js';
import {
  checkValues,
  inheritingProps,
  isInRule,
  isRuled,
  isScarce,
  isScarceForAll,
  isSpared,
  isStored,
  needsFreshParent,
  ownerProps,
  sampleValue,
} from './values.js';

/** A column that a row can't do without and that the declaration does not tell of. */
interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

/** The kinds of a running service, and rows put into their tables behind its back. */
export class Seeder {
  readonly graph: KindGraph;
  /** The kinds with the standard routes. */
  readonly kinds: readonly LinkedKind[];
  private readonly ids: Ids;
  private columns: readonly Column[] = [];
  private serial = 1000;

  private constructor(
    private readonly service: TestService,
    version: string,
  ) {
    const versions = service.app.get(ApiVersions);
    this.graph = versions.engine(version).graph;
    this.ids = service.app.get(Ids);
    this.kinds = this.graph.all().filter((kind) => kind.generic);
    checkValues(versions.names.flatMap((name) => versions.engine(name).graph.all()));
  }

  /** @param version of the API, whose kinds it knows */
  static async of(service: TestService, version = FIRST_VERSION): Promise<Seeder> {
    const seeder = new Seeder(service, version);
    seeder.columns = await service.sql<Column>(
      `SELECT table_name AS table, column_name AS name, data_type AS type FROM information_schema.columns
       WHERE table_schema = 'public' AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'`,
    );
    return seeder;
  }

  publicId(kind: LinkedKind, rowId: string): string {
    return this.ids.encode(kind.kind, rowId);
  }

  rowId(kind: LinkedKind, id: string): string {
    const rowId = this.ids.decode(kind.kind, id);
    if (rowId === null) throw new Error(`${id} is no id of a ${kind.kind}.`);
    return rowId;
  }

  /** Inserts a row; ids in their public form, what a row needs beyond its props is made up. Answers the public id. */
  async insert(kind: LinkedKind, props: Readonly<Record<string, unknown>>): Promise<string> {
    const values = new Map<string, unknown>();
    for (const [name, value] of Object.entries(props)) {
      const prop = kind.byName.get(name);
      if (!prop) throw new Error(`${kind.kind} has no prop ${name}.`);
      values.set(columnOf(prop), this.dbValue(prop, value));
      if (prop.uniqueCaseInsensitive) values.set(`${columnOf(prop)}Folded`, fold(String(value)));
    }
    // Parents that this version of the kind does not show.
    const hidden = new Map(kind.columns.map((prop) => [columnOf(prop), prop.relation?.kind]));
    for (const { table, name, type } of this.columns) {
      if (table !== kind.table || values.has(name)) continue;
      if (/char|text/.test(type)) values.set(name, `x${this.serial++}`);
      else if (/timestamp/.test(type)) values.set(name, new Date().toISOString());
      else if (hidden.has(name)) values.set(name, await this.newestOf(hidden.get(name)));
      else throw new Error(`${kind.kind}.${name} (${type}) needs a value.`);
    }
    const names = [...values.keys()].map((name) => `"${name}"`).join(', ');
    const places = [...values].map((_, i) => `$${i + 1}`).join(', ');
    const [row] = await this.service.sql<{ id: string }>(
      names
        ? `INSERT INTO "${kind.table}" (${names}) VALUES (${places}) RETURNING id`
        : `INSERT INTO "${kind.table}" DEFAULT VALUES RETURNING id`,
      [...values.values()],
    );
    return this.publicId(kind, row?.id ?? '');
  }

  /** A record of a user's, the newest; undefined: there is none. */
  async find(kind: LinkedKind, owner: string | null): Promise<string | undefined> {
    const [row] = await this.service.sql<{ id: string }>(
      `SELECT max(id) AS id FROM "${kind.table}" WHERE ${this.isOf(kind, owner)} HAVING count(*) > 0`,
    );
    return row && this.publicId(kind, row.id);
  }

  /** Deletes what is in the way of one more record of a kind of which there can be few: the owner's, or all. */
  async clear(kind: LinkedKind, owner: string | null): Promise<void> {
    const rows = isScarceForAll(kind) ? 'true' : this.isOf(kind, owner);
    await this.service.sql(`DELETE FROM "${kind.table}" WHERE ${rows}`);
  }

  private async newestOf(name = ''): Promise<string | undefined> {
    const kind = this.graph.get(name);
    const [row] = await this.service.sql<{ id: string }>(`SELECT max(id) AS id FROM "${kind.table}"`);
    return row?.id;
  }

  private isOf(kind: LinkedKind, owner: string | null): string {
    const [prop] = ownerProps(kind);
    return prop && owner !== null
      ? `"${columnOf(prop)}" = ${this.rowId(this.graph.userKind, owner)}`
      : 'true';
  }

  /** Sets one column of one row, nothing else. */
  async set(record: StoredRecord, prop: PropDef, value: unknown): Promise<void> {
    const { kind } = record;
    const column = columnOf(prop);
    const folded = prop.uniqueCaseInsensitive ? `, "${column}Folded" = $3` : '';
    await this.service.sql(`UPDATE "${kind.table}" SET "${column}" = $2${folded} WHERE id = $1`, [
      this.rowId(kind, record.id),
      this.dbValue(prop, value),
      ...(folded ? [fold(String(value))] : []),
    ]);
  }

  /** Every record of every generic kind, read from the tables. */
  async snapshot(): Promise<Snapshot> {
    const records = new Map<string, StoredRecord[]>();
    for (const kind of this.kinds) records.set(kind.kind, await this.read(kind));
    return new Snapshot(records);
  }

  private async read(kind: LinkedKind): Promise<StoredRecord[]> {
    const props = kind.props.filter(isStored);
    const rows = await this.service.sql<Record<string, unknown>>(
      `SELECT ${props.map((prop) => `"${columnOf(prop)}" AS "${prop.name}"`).join(', ')} FROM "${kind.table}" ORDER BY id`,
    );
    return rows.map((row) => {
      const seen = Object.fromEntries(
        props.map((prop) => [prop.name, this.jsonValue(kind, prop, row[prop.name])]),
      );
      return { kind, id: String(seen.id), rowId: BigInt(String(row.id)), props: seen };
    });
  }

  private dbValue(prop: PropDef, value: unknown): unknown {
    if (value === null) return null;
    if (prop.type === 'json') return JSON.stringify(value);
    if (prop.relation?.type === 'parent')
      return this.rowId(this.graph.get(prop.relation.kind), value as string);
    return value;
  }

  private jsonValue(kind: LinkedKind, prop: PropDef, value: unknown): unknown {
    if (value === null) return null;
    if (value instanceof Date) return value.toISOString();
    if (prop.type === 'int') return Number(value);
    if (prop.type !== 'id') return value;
    return this.ids.encode(prop.relation?.kind ?? kind.kind, value as string);
  }
}

/** Users beside those who call. */
const STRANGERS = 4;

/** The ids of a kind's seeded records, by row; null where a unique rule has left no room for one. */
type Made = Map<LinkedKind, readonly (string | null)[]>;

/**
 * Fills every generic kind with one row per entry of `owners` (public ids of users; null: nobody's where the kind
 * allows it). Row i of every kind belongs to owner i, directly or through its parents; other parents are those of the
 * next row. Optional props are null here and there, and values that need not be unique occur twice. Where an owner can
 * have no second record, it belongs to a stranger.
 */
export async function seedRecords(seeder: Seeder, owners: readonly (string | null)[]): Promise<void> {
  const made: Made = new Map();
  const users = owners.map((id) => id ?? owners.find((other) => other !== null) ?? '');
  const { userKind } = seeder.graph;
  made.set(userKind, users);
  // Parents that were not there yet, since relations may go in circles.
  const later: { id: string; prop: PropDef; row: number }[] = [];
  let strangers = 0;
  const addStranger = () => insert(userKind, strangers++, null);
  const insert = async (kind: LinkedKind, row: number, owner: string | null): Promise<string> => {
    const props = await seedProps(kind, row, owner, users, made, addStranger);
    const id = await seeder.insert(kind, props.values);
    for (const prop of props.later) later.push({ id, prop, row });
    return id;
  };
  const insertIfRoom = async (
    kind: LinkedKind,
    row: number,
    owner: string | null,
  ): Promise<string | null> => {
    const orNull = (error: unknown) => {
      if (isScarce(kind) && (error as { code?: unknown }).code === UNIQUE_VIOLATION) return null;
      throw error;
    };
    const id = await insert(kind, row, owner).catch(orNull);
    return id ?? insert(kind, row, await addStranger()).catch(orNull);
  };
  while (strangers < STRANGERS) await addStranger();
  const visit = async (kind: LinkedKind, trail: readonly LinkedKind[]): Promise<void> => {
    if (made.has(kind) || trail.includes(kind)) return;
    for (const parent of kind.parents.values()) await visit(parent.kind, [...trail, kind]);
    const ids: (string | null)[] = [];
    for (const [row, owner] of owners.entries()) ids.push(await insertIfRoom(kind, row, owner));
    made.set(kind, ids);
  };
  for (const kind of seeder.kinds) await visit(kind, []);
  if (!later.length) return;
  const snapshot = await seeder.snapshot();
  for (const { id, prop, row } of later) {
    const record = snapshot.get(id);
    const target = parentOf(made.get(seeder.graph.get(prop.relation?.kind ?? '')), row + 1);
    if (record && target !== null) await seeder.set(record, prop, target);
  }
}

/** Whether a prop is the user of memberships that are unique by user and record: each row has a record of its own. */
const isMemberOfEach = ({ membership, byName }: LinkedKind, { name }: PropDef): boolean => {
  if (name !== membership?.user) return false;
  const names = [name, membership.record];
  return names.some((one, i) => byName.get(one)?.uniqueQualifiers?.includes(names[1 - i] ?? '') === true);
};

const UNIQUE_VIOLATION = '23505';

/** The parent of a row, or of the next one that there is. */
const parentOf = (ids: readonly (string | null)[] = [], row: number): string | null =>
  [...ids.slice(row % ids.length), ...ids].find((id) => id !== null) ?? null;

async function seedProps(
  kind: LinkedKind,
  row: number,
  owner: string | null,
  users: readonly string[],
  made: Made,
  addStranger: () => Promise<string>,
): Promise<{ values: Record<string, unknown>; later: PropDef[] }> {
  const values: Record<string, unknown> = {};
  const later: PropDef[] = [];
  const owning = new Set(ownerProps(kind));
  const inheriting = new Set(inheritingProps(kind));
  for (const [column, prop] of kind.props.entries()) {
    if (!isStored(prop) || prop.name === 'id') continue;
    if (prop.name === 'createdAt' || prop.name === 'updatedAt') {
      // Pairs of rows share a date: the id must decide.
      const days = (prop.name === 'createdAt' ? 0 : 50) + Math.floor(row / 2);
      values[prop.name] = new Date(Date.UTC(2026, 0, 1) + days * 86_400_000).toISOString();
    } else if (owning.has(prop)) {
      values[prop.name] = owner === null && prop.required ? users[row] : owner;
    } else if (isSpared(kind, prop) && row > 0) {
      values[prop.name] = null;
    } else if (prop.relation?.type === 'parent') {
      const target = [...kind.parents.values()].find((parent) => parent.prop === prop)?.kind ?? kind;
      const parents = made.get(target);
      const isNull = !prop.required && (inheriting.has(prop) ? owner === null : row % 4 === 3);
      const isUsers =
        needsFreshParent(kind, prop) && target.owner.includes('$id') && !isMemberOfEach(kind, prop);
      if (isNull) values[prop.name] = null;
      else if (isUsers) values[prop.name] = await addStranger();
      else values[prop.name] = parents ? parentOf(parents, inheriting.has(prop) ? row : row + 1) : null;
      if (!parents && !isNull) later.push(prop);
    } else if (!prop.required && !prop.unique && !isRuled(kind, prop) && (row + column) % 4 === 0) {
      values[prop.name] = null;
    } else {
      values[prop.name] = sampleValue(kind, prop, isInRule(kind, prop) ? row : (row + column) % 5);
    }
  }
  return { values, later };
}
