import { idOf } from './answers.js';
import { Ids } from '../../src/record/ids/ids.js';
import type { Caller } from './client.js';
import type { Fixture, Person } from './fixture.js';
import type { TestService } from './service.js';

/** Posts and answers the new record's id. */
export async function createRecord(by: Caller, path: string, body: unknown): Promise<string> {
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
  const thing = await createRecord(call, '/dummythings', {
    name: `Thing of ${mark}`,
    note: `Note of ${mark}`,
    secret: `secret-${mark}`,
    score: n,
    amount: n,
  });
  const invoice = await createRecord(call, '/dummyinvoices', { title: `Bill of ${mark}` });
  const lineItem = await createRecord(call, '/dummylineitems', {
    label: `Line of ${mark}`,
    price: n,
    invoiceId: invoice,
  });
  const remark = await createRecord(call, '/dummyremarks', {
    text: `Remark of ${mark}`,
    lineItemId: lineItem,
  });
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
