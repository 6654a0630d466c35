import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly tests?: readonly string[];
  readonly only?: string;
}

const areas = readdirSync('test/mutants').filter((name) => name.endsWith('.mjs'));
const load = (area: string) =>
  import(`./mutants/${area}`) as Promise<{ mutants: Mutant[]; tests: readonly string[] }>;

it.each(areas)('the wrong changes of %s fit the code: what each replaces stands there once', async (area) => {
  const { mutants } = await load(area);
  const stale = mutants.filter(
    ({ file, from, to }) => from === to || readFileSync(file, 'utf8').split(from).length !== 2,
  );
  expect(mutants.length).toBeGreaterThan(0);
  expect(stale.map(({ name }) => name)).toEqual([]);
});

it.each(areas)('the tests that should notice the wrong changes of %s exist', async (area) => {
  const { mutants, tests: usual } = await load(area);
  const specs = ['src', 'test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('spec.ts'))
      .map((name) => join(folder, name)),
  );
  const missing = mutants.flatMap(({ name, tests = usual, only = '' }) => {
    const texts = tests.map((pattern) =>
      specs.filter((spec) => new RegExp(pattern).test(spec)).map((spec) => readFileSync(spec, 'utf8')),
    );
    return [
      ...tests.filter((_pattern, i) => !texts[i]?.length).map((pattern) => `${name}: ${pattern}`),
      ...only
        .split('|')
        .filter((title) => !texts.flat().some((text) => text.includes(title)))
        .map((title) => `${name}: ${title}`),
    ];
  });
  expect(missing).toEqual([]);
});
