import { BASE_PROPS } from './values.js';
import { expect } from '@jest/globals';
import type { Envelope, ListEnvelope, Paging } from '../../src/record/response/envelope.js';
import type { Answer, Caller } from './client.js';

/* Typed looks into answers, and what the answer to a list must be. */

/** Props by name. */
export type Props = Record<string, unknown>;

/** `props` of a record answer. */
export const propsOf = ({ body }: Answer): Props => body.props as Props;

/** `props` of every item of a list answer. */
export const itemsOf = ({ body }: Answer): Props[] =>
  (body.items as { props: Props }[]).map((item) => item.props);

/** `error` of a failure. */
export const errorOf = ({ body }: Answer): { code: number; message: string; data: unknown } =>
  body.error as { code: number; message: string; data: unknown };

/** `data` of every warning. */
export const warningsAbout = ({ body }: Answer): unknown[] =>
  ((body.warnings ?? []) as { data: unknown }[]).map(({ data }) => data);

/** The body of a record answer. */
export const recordOf = (answer: Answer): Envelope => answer.body as unknown as Envelope;

/** The body of a list answer. */
export const listOf = (answer: Answer): ListEnvelope => answer.body as unknown as ListEnvelope;

/** `paging` of a list answer. */
export const pagingOf = (answer: Answer): Paging => listOf(answer).paging;

/** The id of a single-record answer. */
export const idOf = (answer: Answer): string => String(recordOf(answer).props.id);

/** The ids of a list, in its order. */
export const idsOf = (answer: Answer): string[] => listOf(answer).items.map(({ props }) => String(props.id));

/** Values of one prop of a list, in its order. */
export const valuesOf = (answer: Answer, prop: string): unknown[] =>
  listOf(answer).items.map(({ props }) => props[prop]);

/** The warnings as `<code> <data>`. */
export const warningsOf = (answer: Answer): string[] =>
  (recordOf(answer).warnings ?? []).map(({ code, data }) => `${code} ${String(data)}`);

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
  expect(pagingOf(answer).totalItems).toBe(ids.length);
}

/** The same without an order. */
export function expectRows(answer: Answer, ids: readonly string[]): void {
  expect({ status: answer.status, ids: answer.status === 200 ? idsOf(answer).sort() : answer.text }).toEqual({
    status: 200,
    ids: [...ids].sort(),
  });
  expect(pagingOf(answer).totalItems).toBe(ids.length);
}

/** None of the texts stands anywhere in the answer: not in props, meta, errors, warnings or headers. */
export function expectAbsent(answer: Answer, texts: readonly string[]): void {
  const whole = answer.text + JSON.stringify([...answer.headers]);
  expect(texts.filter((text) => whole.includes(text))).toEqual([]);
}

/** A public user record: nothing else may stand in it. `avatarId` comes with files. */
export function expectPublicUser(props: Record<string, unknown>): void {
  const keys = Object.keys(props).filter((key) => key !== 'avatarId');
  expect(keys.sort()).toEqual([...BASE_PROPS].sort());
}

/** The answers to requests that were not refused. */
export const succeeded = (answers: readonly Answer[]): Answer[] =>
  answers.filter(({ status }) => status < 300);

/** What the body of an error must be. */
export const failure = (code: number, data: unknown = null) => ({
  error: { code, message: expect.any(String), data },
});

/** A date as answers write it. */
export const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Tries to log in; answers the status, and the code of an error. */
export async function loginOutcome(caller: Caller, body: unknown): Promise<[number, unknown]> {
  const [status, code] = refusal(await caller.post('/sessions', body));
  return [status, code];
}
