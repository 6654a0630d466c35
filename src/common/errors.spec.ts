import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CATALOGUE } from './errors.js';

describe('docs/errors.md', () => {
  it('lists exactly the rows of the catalogue, in its order', () => {
    const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| +(\d{3}) +\| +(\d{3}) +\| +(\S.*?) +\| +(\S.*?) +\|$/gm)];
    expect(
      rows.map(([, status, code, when, data]) => ({
        status: Number(status),
        code: Number(code),
        when,
        data,
      })),
    ).toEqual(Object.values(CATALOGUE).map((row) => ({ ...row, data: row.data.text })));
  });
});
