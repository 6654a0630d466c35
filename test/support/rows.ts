import { expect } from '@jest/globals';
import { FIRST_VERSION } from '../../src/common/api-path.js';
import { ApiVersions } from '../../src/record/api-versions.js';
import type { Answer } from './client.js';
import { Ids } from '../../src/record/ids/ids.js';
import type { TestService } from './service.js';

/* Rows as the database holds them, by the kind and the public id of their record. */

/** The kind and the public id of a record. */
export type RowRef = readonly [kind: string, id: string];

/** A user. */
export const userRow = (id: string): RowRef => ['User', id];
/** A thing. */
export const thingRow = (id: string): RowRef => ['DummyThing', id];

/** The table of a kind. */
export function tableOf(service: TestService, kind: string): string {
  return service.app.get(ApiVersions).engine(FIRST_VERSION).graph.get(kind).table;
}

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
  [kind, id]: RowRef,
  name: string,
  value: unknown,
): Promise<void> {
  const rows = await service.sql(
    `UPDATE "${tableOf(service, kind)}" SET "${name}" = $1 WHERE id = $2 RETURNING id`,
    [value, rowId(service, kind, id)],
  );
  if (rows.length !== 1) throw new Error(`There is no ${kind} ${id}.`);
}

/** The whole row as the database holds it. */
export async function rowOf(
  service: TestService,
  [kind, id]: RowRef,
): Promise<Record<string, unknown> | undefined> {
  const rows = await service.sql(`SELECT * FROM "${tableOf(service, kind)}" WHERE id = $1`, [
    rowId(service, kind, id),
  ]);
  return rows[0];
}

/** Makes a write and asserts that the row is what it was, to the last column. */
export async function expectUntouched(
  service: TestService,
  row: RowRef,
  write: () => Promise<Answer>,
): Promise<Answer> {
  const before = await rowOf(service, row);
  expect(before).toBeDefined();
  const answer = await write();
  expect(await rowOf(service, row)).toEqual(before);
  return answer;
}

/** The number of rows; `from` is what stands behind FROM. */
export async function countRows(service: TestService, from: string, values: unknown[] = []): Promise<number> {
  const [row] = await service.sql<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`, values);
  return row?.n ?? -1;
}
