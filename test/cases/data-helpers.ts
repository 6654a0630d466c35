import { expect } from '@jest/globals';
import type { Envelope, ListEnvelope, Paging } from '../../src/record/response/envelope.js';
import { Ids } from '../../src/record/ids/ids.js';
import type { Answer, Caller } from '../support/client.js';
import type { Fixture, Person } from '../support/fixture.js';
import type { TestService } from '../support/service.js';

/*
 * What the tests of the data families share: typed looks into answers, the oracle assertion, and one of every
 * test-only kind for each person.
 */

/** A text that stands in no row. */
export const NONSENSE = 'zq9-no-such-text';

export const record = (answer: Answer): Envelope => answer.body as unknown as Envelope;
export const list = (answer: Answer): ListEnvelope => answer.body as unknown as ListEnvelope;
export const paging = (answer: Answer): Paging => list(answer).paging;
/** The id of a single-record answer. */
export const idOf = (answer: Answer): string => String(record(answer).props.id);
/** The ids of a list, in its order. */
export const idsOf = (answer: Answer): string[] => list(answer).items.map(({ props }) => String(props.id));
/** Values of one prop of a list, in its order. */
export const column = (answer: Answer, prop: string): unknown[] =>
  list(answer).items.map(({ props }) => props[prop]);
/** The warnings as `<code> <data>`. */
export const warned = (answer: Answer): string[] =>
  (record(answer).warnings ?? []).map(({ code, data }) => `${code} ${String(data)}`);

/** `[status, code, data]` of a refusal. */
export function refusal(answer: Answer): [number, unknown, unknown] {
  const error = answer.body.error as { code?: unknown; data?: unknown } | undefined;
  return [answer.status, error?.code, error?.data];
}

/** A list that succeeded: exactly these ids in this order, and a total that fits. */
export function expectList(answer: Answer, ids: readonly string[]): void {
  expect({ status: answer.status, ids: answer.status === 200 ? idsOf(answer) : answer.text }).toEqual({
    status: 200,
    ids: [...ids],
  });
  expect(paging(answer).totalItems).toBe(ids.length);
}

/** The same without an order. */
export function expectRows(answer: Answer, ids: readonly string[]): void {
  expect({ status: answer.status, ids: answer.status === 200 ? idsOf(answer).sort() : answer.text }).toEqual({
    status: 200,
    ids: [...ids].sort(),
  });
  expect(paging(answer).totalItems).toBe(ids.length);
}

/** None of the texts stands anywhere in the answer: not in props, meta, errors, warnings or headers. */
export function expectAbsent(answer: Answer, texts: readonly string[]): void {
  const whole = answer.text + JSON.stringify([...answer.headers]);
  expect(texts.filter((text) => whole.includes(text))).toEqual([]);
}

/** Everything that an answer says, apart from the time of day. */
const told = ({ status, headers, body }: Answer) => ({ status, etag: headers.get('etag'), body });

/**
 * The oracle assertion: requests that differ only in a guess about a hidden value get the same answer: status, ids,
 * order, totals, and every other word of the body.
 * @returns the one answer, which has this `status`
 */
export async function expectNoOracle(
  caller: Caller,
  status: number,
  paths: readonly string[],
): Promise<Answer> {
  const answers = await Promise.all(paths.map((path) => caller.get(path)));
  const [first] = answers;
  if (!first) throw new Error('No path to compare.');
  answers.forEach((answer, i) => {
    expect({ path: paths[i], ...told(answer) }).toEqual({ path: paths[i], ...told(first) });
  });
  expect([paths[0], first.status, first.text]).toEqual([paths[0], status, first.text]);
  return first;
}

/** Answers of all paths, by path. */
async function look(caller: Caller, paths: readonly string[]): Promise<Map<string, string>> {
  const answers = await Promise.all(paths.map((path) => caller.get(path)));
  return new Map(answers.map((answer, i) => [paths[i] ?? '', JSON.stringify(told(answer))]));
}

/**
 * The oracle assertion turned round: the requests stay, the hidden value itself changes behind the service's back.
 * @param changes each puts another hidden value in place
 * @param blind callers whose answers may not change
 * @param seeing callers who may see the value: the answers to every one of `telling` must change (positive control)
 */
export async function expectNonInterference(test: {
  readonly changes: readonly (() => Promise<unknown>)[];
  readonly paths: readonly string[];
  readonly blind: Readonly<Record<string, Caller>>;
  readonly seeing?: Readonly<Record<string, Caller>>;
  readonly telling?: readonly string[];
}): Promise<void> {
  const { changes, paths, blind, seeing = {}, telling = [] } = test;
  const before = new Map<string, Map<string, string>>();
  const changed = new Map<string, Set<string>>(Object.keys(seeing).map((name) => [name, new Set()]));
  for (const change of changes) {
    await change();
    for (const [name, caller] of Object.entries(blind)) {
      const now = await look(caller, paths);
      const old = before.get(name) ?? now;
      before.set(name, now);
      const told = [...now].filter(([path, answer]) => old.get(path) !== answer);
      expect({ caller: name, told }).toEqual({ caller: name, told: [] });
    }
    for (const [name, caller] of Object.entries(seeing)) {
      const now = await look(caller, telling);
      const old = before.get(name) ?? now;
      before.set(name, now);
      for (const [path, answer] of now) if (old.get(path) !== answer) changed.get(name)?.add(path);
    }
  }
  for (const [name, paths] of changed) {
    const silent = telling.filter((path) => !paths.has(path));
    expect({ caller: name, silent }).toEqual({ caller: name, silent: [] });
  }
}

/** Every way in which a list can be asked about a prop, for each of the guesses. */
export function questions(path: string, prop: string, guesses: readonly string[]): string[] {
  const values = [...guesses, 'null'].map(encodeURIComponent);
  const signs = ['', '!=', '<>', '>', '>=', '<', '<='].map(encodeURIComponent);
  return [
    path,
    ...['asc', 'desc'].map((order) => `${path}?sortBy=${prop}&sortOrder=${order}`),
    ...[1, 2].map((page) => `${path}?sortBy=${prop}&itemsPerPage=1&page=${page}&maxItems=2`),
    ...signs.flatMap((sign) => values.map((value) => `${path}?${prop}=${sign}${value}`)),
    `${path}?${values.map((value) => `${prop}=${value}`).join('&')}`,
    ...values.flatMap((value) => [
      `${path}?_start_${prop}=${value}`,
      `${path}?_end_${prop}=${value}`,
      `${path}?_start_${prop}=${value}&_end_${prop}=${value}`,
      `${path}?search=${value}`,
      `${path}?search=${value.slice(0, 3)}`,
      `${path}?search=${value}&itemsPerPage=1&sortBy=${prop}`,
      `${path}?search=${value}&search=${NONSENSE}`,
    ]),
    `${path}?includeMeta=true&includeLinks=true&includeOptions=true`,
  ];
}

/** The integer behind a public id, as the database writes it. */
export function rowId(service: TestService, kind: string, id: string): string {
  const found = service.app.get(Ids).decode(kind, id);
  if (found === null) throw new Error(`${id} is no id of kind ${kind}.`);
  return found;
}

/** A well-formed id of a kind that no row has. */
export function unusedId(service: TestService, kind: string): string {
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

/** Posts and answers the new record's id. */
export async function made(by: Caller, path: string, body: unknown): Promise<string> {
  const answer = await by.post(path, body);
  if (answer.status !== 201) throw new Error(`POST ${path} → ${answer.status} ${answer.text}`);
  return idOf(answer);
}

/** What one person has of every kind that a person can have. */
export interface Belongings {
  readonly thing: string;
  readonly invoice: string;
  readonly lineItem: string;
  readonly remark: string;
}

/** One thing, invoice, line item and remark of a person, with values that hold the word `mark`. */
export async function addBelongings(person: Person, mark: string, n: number): Promise<Belongings> {
  const { call } = person;
  const thing = await made(call, '/dummythings', {
    name: `Thing of ${mark}`,
    note: `Note of ${mark}`,
    secret: `secret-${mark}`,
    score: n,
    amount: n,
  });
  const invoice = await made(call, '/dummyinvoices', { title: `Bill of ${mark}` });
  const lineItem = await made(call, '/dummylineitems', {
    label: `Line of ${mark}`,
    price: n,
    invoiceId: invoice,
  });
  const remark = await made(call, '/dummyremarks', { text: `Remark of ${mark}`, lineItemId: lineItem });
  return { thing, invoice, lineItem, remark };
}

/** A thing and a line item that nobody owns. */
export async function addOwnerless(service: TestService): Promise<{ thing: string; lineItem: string }> {
  const [thing] = await service.sql<{ id: string }>(
    `INSERT INTO dummythings (name, secret, score) VALUES ('Thing of nobody', 'secret-nobody', 77) RETURNING id`,
  );
  const [lineItem] = await service.sql<{ id: string }>(
    `INSERT INTO dummylineitems (label, price) VALUES ('Line of nobody', 77) RETURNING id`,
  );
  const ids = service.app.get(Ids);
  return {
    thing: ids.encode('DummyThing', thing?.id ?? ''),
    lineItem: ids.encode('DummyLineItem', lineItem?.id ?? ''),
  };
}

/** The persons of a fixture as callers by name. */
export function callers({ anon, owner, other, admin }: Fixture): Record<string, Caller> {
  return { anon, owner: owner.call, other: other.call, admin: admin.call };
}

/** A public user record: nothing else may stand in it. `avatarId` comes with files. */
export function expectPublicUser(props: Record<string, unknown>): void {
  const keys = Object.keys(props).filter((key) => key !== 'avatarId');
  expect(keys.sort()).toEqual(['createdAt', 'id', 'updatedAt']);
}
