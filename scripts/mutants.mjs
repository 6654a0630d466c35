// npm run test:mutants: puts small wrong changes into a copy of the code, one at a time, and asks whether the tests notice.
// Arguments select changes: each is a part of an area's or a change's name. At least 95 % must be noticed.
import './lib/node-version.mjs';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { ROOT, inRoot } from './lib/paths.mjs';
import { runProcess } from './lib/run-process.mjs';

/** Share of the changes that the tests must notice. */
const TARGET = 0.95;
/** Milliseconds that the tests of one change may take; a change that makes them hang is noticed too. */
const LONGEST = 10 * 60_000;
const WORDS = process.argv.slice(2);
/** One for each choice, so that two can run side by side. */
const COPY = inRoot('.cache', 'mutants', WORDS.join('-').replaceAll(/[^a-z-]/gi, '') || 'all');
const TOTALS = join(COPY, '.cache', 'totals.json');
/** What the tests don't need, or what the copy has by a link. */
const LEFT_OUT = new Set(['.git', '.cache', 'node_modules', 'data', 'coverage']);

process.chdir(ROOT);
await ensureInstalled();
await ensureBuilt();
const all = await loadMutants();
const mutants = all.filter(isChosen(WORDS));
if (mutants.length === 0) {
  const areas = [...new Set(all.map(({ name }) => name.split(': ')[0]))];
  end(
    `No change has a name like that. The areas are ${areas.join(', ')}; the names:\n${all.map(({ name }) => `  ${name}`).join('\n')}`,
  );
}
makeCopy();
const stale = mutants.filter((mutant) => occurrences(mutant) !== 1);
if (stale.length > 0) {
  end(
    `These no longer fit the code, where their text must stand once:\n${stale.map(({ name }) => `  ${name}`).join('\n')}`,
  );
}
console.log(`${mutants.length} changes; first the tests without any …`);
for (const group of [mutants.filter(({ only }) => !only), mutants.filter(({ only }) => only)]) {
  const tests = [...new Set(group.flatMap((mutant) => mutant.tests))];
  const only = [...new Set(group.flatMap((mutant) => mutant.only ?? []))].join('|');
  if (tests.length === 0) continue;
  const { code, output } = await runTests(tests, only || undefined);
  if (code !== 0) end(`${output}\nThe tests fail without any change.`);
}
const missed = [];
for (const mutant of mutants) {
  const result = await tryOut(mutant);
  console.log(`${result.padEnd(8)} ${mutant.name}`);
  if (result === 'MISSED' || result === 'UNTRIED') missed.push(mutant);
}
const noticed = mutants.length - missed.length;
const share = noticed / mutants.length;
console.log(
  `${noticed} of ${mutants.length} noticed (${(100 * share).toFixed(1)} %, at least ${100 * TARGET} % wanted)`,
);
process.exitCode = share < TARGET ? 1 : 0;

/**
 * The changes, from `test/mutants/<area>.mjs`: `{tests, mutants: [{name, file, from, to, tests?, only?, build?}]}`. `from`
 * stands in `file` once, and becomes `to`; `tests` are patterns of test files, by default those of the area, and `only` is a
 * pattern of the names of the tests in them that should notice, where the others take long; `build`: the tests start the
 * service from the build.
 */
async function loadMutants() {
  const folder = inRoot('test', 'mutants');
  const names = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  const areas = await Promise.all(names.map((name) => import(pathToFileURL(join(folder, name)).href)));
  return areas.flatMap(({ tests: usual, mutants: all }, i) =>
    all.map((mutant) => ({ tests: usual, ...mutant, name: `${names[i].slice(0, -4)}: ${mutant.name}` })),
  );
}

function isChosen(words) {
  return ({ name }) => words.length === 0 || words.some((word) => name.includes(word));
}

/** The code as it is now, uncommitted changes included. */
function makeCopy() {
  mkdirSync(join(COPY, '.cache'), { recursive: true });
  for (const name of readdirSync(COPY).filter((one) => one !== '.cache')) {
    rmSync(join(COPY, name), { recursive: true, force: true });
  }
  for (const name of readdirSync(ROOT).filter((one) => !LEFT_OUT.has(one))) {
    cpSync(inRoot(name), join(COPY, name), { recursive: true, verbatimSymlinks: true });
  }
  symlinkSync(inRoot('node_modules'), join(COPY, 'node_modules'), 'junction');
}

function occurrences({ file, from }) {
  return readFileSync(join(COPY, file), 'utf8').split(from).length - 1;
}

async function tryOut(mutant) {
  const path = join(COPY, mutant.file);
  const right = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    right.replace(mutant.from, () => mutant.to),
  );
  try {
    if (mutant.build) await build();
    const { code, timedOut } = await runTests(mutant.tests, mutant.only);
    if (timedOut) return 'hangs';
    if (!hasTotals()) return 'UNTRIED';
    return code === 0 ? 'MISSED' : 'noticed';
  } finally {
    writeFileSync(path, right);
    if (mutant.build) await build();
  }
}

async function build() {
  const { code, output } = await runProcess(['node_modules/@nestjs/cli/bin/nest.js', 'build'], { cwd: COPY });
  if (code !== 0) end(`${output}\nThe build of the copy failed.`);
}

/** Runs Jest on the copy. */
async function runTests(patterns, only) {
  rmSync(TOTALS, { force: true });
  return runProcess(
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      '--bail',
      '--forceExit',
      ...patterns,
      ...(only === undefined ? [] : ['-t', only]),
      '--reporters=default', // Last: Jest would take names that follow for reporters.
      `--reporters=${join(COPY, 'scripts/lib/count-reporter.mjs')}`,
    ],
    { cwd: COPY, env: { ...process.env, KINDRED_TEST_TOTALS: TOTALS }, timeoutMs: LONGEST },
  );
}

/** Whether any test ran: a change beside which none did, or whose `only` fits none any more, says nothing about the tests. */
function hasTotals() {
  try {
    const { passed, failed } = JSON.parse(readFileSync(TOTALS, 'utf8'));
    return passed + failed > 0;
  } catch {
    return false;
  }
}

function end(line) {
  console.error(line);
  process.exit(1);
}
