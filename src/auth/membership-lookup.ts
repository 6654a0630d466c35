import { type Memberships, type MembershipSource, NO_MEMBERSHIPS } from '../common/viewer.js';
import type { ResultRow } from '../postgres/statement.js';
import { membershipProps } from '../record/access/ownership.js';
import type { LinkedKind } from '../record/schema/kind-graph.js';
import { membershipsOf, ROLE_SEPARATOR } from '../record/sql/membership-sql.js';

/** The newest memberships of one kind that count for a user; they are read with every request. */
const MAX_MEMBERSHIPS = 10_000;

/** Reads the memberships of a user as columns of a statement: one for each kind of memberships. */
export class MembershipLookup {
  private readonly tables: ReadonlyMap<string, LinkedKind>;

  /** @param kinds of all versions of the API */
  constructor(kinds: readonly LinkedKind[]) {
    const memberships = kinds.filter((kind) => membershipProps(kind) !== null);
    // Versions of one kind have one table.
    this.tables = new Map(memberships.map((kind) => [kind.table, kind]));
  }

  /**
   * The additional columns of the select list; empty if there are no kinds of memberships.
   * @param user the SQL of the user's id
   */
  columns(user: string): string {
    const column = (kind: LinkedKind, i: number) =>
      `, ${membershipsOf(kind, user, MAX_MEMBERSHIPS)} AS "$memberships${i}"`;
    return [...this.tables.values()].map(column).join('');
  }

  /** The memberships in a row of such a statement. */
  read(row: ResultRow): Memberships {
    if (!this.tables.size) return NO_MEMBERSHIPS;
    const lists = [...this.tables.keys()].map((table, i): [string, readonly string[]] => [
      table,
      row[`$memberships${i}`] as readonly string[],
    ]);
    return new LoadedMemberships(new Map(lists));
  }
}

class LoadedMemberships implements Memberships {
  /** By the object that a rule has: rules are asked for every row. */
  private readonly sets = new Map<MembershipSource, ReadonlySet<string>>();

  /** @param byTable record ids with roles, by the table of the memberships */
  constructor(private readonly byTable: ReadonlyMap<string, readonly string[]>) {}

  get key(): string {
    return JSON.stringify([...this.byTable]);
  }

  records(source: MembershipSource): ReadonlySet<string> {
    let records = this.sets.get(source);
    if (!records) this.sets.set(source, (records = this.select(source)));
    return records;
  }

  hasAll({ table }: MembershipSource): boolean {
    return (this.byTable.get(table)?.length ?? 0) < MAX_MEMBERSHIPS;
  }

  private select({ table, roles }: MembershipSource): ReadonlySet<string> {
    const records = new Set<string>();
    for (const text of this.byTable.get(table) ?? []) {
      const at = text.indexOf(ROLE_SEPARATOR);
      if (!roles) records.add(at < 0 ? text : text.slice(0, at));
      else if (at >= 0 && roles.includes(text.slice(at + 1))) records.add(text.slice(0, at));
    }
    return records;
  }
}
