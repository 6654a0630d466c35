import { Ids } from '../../src/record/ids/ids.js';
import type { TestService } from './service.js';

/** The integer behind a public id, as the database writes it. */
export function rowId(service: TestService, kind: string, id: string): string {
  const found = service.app.get(Ids).decode(kind, id);
  if (found === null) throw new Error(`${id} is no id of kind ${kind}.`);
  return found;
}

/** A well-formed id of a kind that no row has. */
export function idOfNoRow(service: TestService, kind: string): string {
  return service.app.get(Ids).encode(kind, '8888888888888');
}

/** One column of one row, changed without the service; `updatedAt` stays. */
export async function setColumn(
  service: TestService,
  [kind, table, id]: readonly [kind: string, table: string, id: string],
  name: string,
  value: unknown,
): Promise<void> {
  const rows = await service.sql(`UPDATE "${table}" SET "${name}" = $1 WHERE id = $2 RETURNING id`, [
    value,
    rowId(service, kind, id),
  ]);
  if (rows.length !== 1) throw new Error(`There is no ${kind} ${id}.`);
}

/** The whole row as the database holds it. */
export async function rowOf(
  service: TestService,
  [kind, table, id]: readonly [kind: string, table: string, id: string],
): Promise<Record<string, unknown> | undefined> {
  const rows = await service.sql(`SELECT * FROM "${table}" WHERE id = $1`, [rowId(service, kind, id)]);
  return rows[0];
}
