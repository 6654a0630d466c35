import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { faultOfText, MAX_MARKS } from '../../src/http/text.js';
import { createDatabase, sql } from '../support/database.js';

/*
 * The time of a normalization grows with the square of the marks in a row, and the database normalizes texts for search.
 * So the bound has to count whatever PostgreSQL, not Node.js, makes marks of.
 */

/** Code points whose compatibility decomposition begins with a mark: a mark and another one change places. */
const DECOMPOSED_TO_MARKS = `
  SELECT c AS code FROM generate_series(1, 1114111) c
  WHERE c NOT BETWEEN 55296 AND 57343 AND (
    normalize(chr(c) || U&'\\0334', NFKD) LIKE U&'\\0334%' OR
    normalize(U&'\\0345' || chr(c), NFKD) NOT LIKE U&'\\0345%')`;
/** Code points whose compatibility decomposition ends with more marks than one letter has. */
const MOST_MARKS = `
  SELECT max(length(substring(normalize(chr(c), NFKD) FROM '[\\u0300-\\u036f\\u3099\\u309a]*$'))) AS most
  FROM generate_series(1, 1114111) c WHERE c NOT BETWEEN 55296 AND 57343`;

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase('plain');
});
afterAll(() => database.drop());

describe('marks in a row', () => {
  it('are all that PostgreSQL decomposes to marks', async () => {
    const found = await sql<{ code: number }>(database.url, DECOMPOSED_TO_MARKS);
    const texts = found.map(({ code }) => String.fromCodePoint(code));
    expect(texts).toEqual(expect.arrayContaining(['\u0301', '\u0344', '\u3099', '\uFF9E', '\uFF9F']));
    expect(texts.length).toBeGreaterThan(800);
    expect(texts.filter((text) => faultOfText(text.repeat(MAX_MARKS + 1)) === null)).toEqual([]);
    expect(texts.filter((text) => faultOfText(text.repeat(MAX_MARKS)) !== null)).toEqual([]);
  });

  it('are few at the end of what any letter decomposes to', async () => {
    const [row] = await sql<{ most: number }>(database.url, MOST_MARKS);
    expect(row?.most).toBe(3);
  });
});
