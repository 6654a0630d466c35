import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const areas = readdirSync('test/mutants').filter((name) => name.endsWith('.mjs'));

it.each(areas)('the wrong changes of %s fit the code: what each replaces stands there once', async (area) => {
  const { mutants } = (await import(`./mutants/${area}`)) as { mutants: Mutant[] };
  const stale = mutants.filter(
    ({ file, from, to }) => from === to || readFileSync(file, 'utf8').split(from).length !== 2,
  );
  expect(mutants.length).toBeGreaterThan(0);
  expect(stale.map(({ name }) => name)).toEqual([]);
});
