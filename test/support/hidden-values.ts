import { expect } from '@jest/globals';
import type { Answer, Caller } from './client.js';

/* Proof that an answer tells nothing about a value that its caller may not see. */

/** A text that stands in no row. */
export const NONSENSE = 'zq9-no-such-text';

/** Everything that an answer says, apart from the time of day. */
const told = ({ status, headers, body }: Answer) => ({ status, etag: headers.get('etag'), body });

/**
 * Requests that differ only in a guess about a hidden value get the same answer: status, ids, order, totals, and every
 * other word of the body.
 * @returns the one answer, which has this `status`
 */
export async function expectSameAnswer(
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
 * {@link expectSameAnswer} the other way round: the requests stay, and the hidden value changes in the database.
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
export function queriesAbout(path: string, prop: string, guesses: readonly string[]): string[] {
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
