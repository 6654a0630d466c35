import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

/** Lints each text as if the file held it, and prints what the rule has against it. */
const SCRIPT = `
  import { ESLint } from 'eslint';
  const eslint = new ESLint();
  const answers = [];
  for (const [filePath, text] of JSON.parse(process.argv[1])) {
    const [{ messages }] = await eslint.lintText(text, { filePath });
    const of = (rule) => messages.filter(({ ruleId }) => ruleId === rule || ruleId === null);
    answers.push(of('kindred/access-words').map(({ message }) => message.split(' says who')[0]));
  }
  console.log(JSON.stringify(answers));
`;

const TYPES = `
import type { Viewer } from '../../common/viewer.js';
import type { LinkedKind, Parent } from '../../record/schema/kind-graph.js';
import type { PropDef } from '../../record/schema/prop.js';
`;
const ENGINE = 'src/record/response/links.ts';
const KIND = 'src/kinds/user/user.service.ts';
const ACCESS = 'src/record/access/offers.ts';
const SCHEMA = 'src/record/schema/kind-graph.ts';

const CASES: [file: string, code: string, words: string[]][] = [
  [ENGINE, `(kind: LinkedKind) => kind.view.includes('public')`, ['KindDef.view']],
  [ENGINE, `(kind: LinkedKind | undefined) => kind?.create`, ['KindDef.create']],
  [ENGINE, `(kind: LinkedKind) => kind['owner']`, ['KindDef.owner']],
  [ENGINE, `(kind: LinkedKind, word: 'kind' | 'readOnly') => kind[word]`, ['KindDef.readOnly']],
  [ENGINE, `({ linkedGroups: mine, kind }: LinkedKind) => [mine, kind]`, ['LinkedKind.linkedGroups']],
  [
    ENGINE,
    `(kind: LinkedKind) => { const { linkedMembership, path } = kind; return [linkedMembership, path]; }`,
    ['LinkedKind.linkedMembership'],
  ],
  [ENGINE, `(props: PropDef[]) => props.filter(({ view }) => view.length)`, ['PropDef.view']],
  [ENGINE, `(prop: Pick<PropDef, 'edit'>) => prop.edit`, ['PropDef.edit']],
  [
    ENGINE,
    `(prop: PropDef) => prop.noSetAll ?? prop.createOnly ?? prop.updateOnly`,
    ['PropDef.noSetAll', 'PropDef.createOnly', 'PropDef.updateOnly'],
  ],
  [ENGINE, `({ relation }: Parent) => relation.skipOwnerCheck`, ['ParentRelation.skipOwnerCheck']],
  [
    ENGINE,
    `({ relation }: PropDef) => relation?.type === 'parent' && relation.skipOwnerCheck`,
    ['ParentRelation.skipOwnerCheck'],
  ],
  [ENGINE, `(viewer: Viewer) => viewer.roles.has('admin')`, ['Viewer.roles']],
  [
    ENGINE,
    `(viewer: Viewer) => viewer.userId === null && viewer.sessionId`,
    ['Viewer.userId', 'Viewer.sessionId'],
  ],
  [ENGINE, `(it: { create: string; view: string }) => it.create + it.view`, []],
  [ENGINE, `(kind: LinkedKind, prop: PropDef) => kind.path + prop.name`, []],
  [KIND, `(viewer: Viewer) => viewer.roles.has('admin') || viewer.userId`, ['Viewer.roles']],
  [KIND, `(kind: LinkedKind) => kind.view`, ['KindDef.view']],
  [SCHEMA, `(kind: LinkedKind, prop: PropDef) => [kind.view, prop.edit]`, []],
  [SCHEMA, `(viewer: Viewer) => viewer.roles`, ['Viewer.roles']],
  [ACCESS, `(kind: LinkedKind, viewer: Viewer) => kind.view.some((one) => viewer.roles.has(one))`, []],
];

it('rules about access are written in their own folder alone', async () => {
  const sources = CASES.map(([file, code]) => [file, `${TYPES}export const sample = ${code};\n`]);
  const args = ['--input-type=module', '-e', SCRIPT, JSON.stringify(sources)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const answers = JSON.parse(stdout) as string[][];
  expect(CASES.map(([file, code], i) => [file, code, answers[i]])).toEqual(CASES);
}, 120_000);

/** Prints, of each text, the line and message of each report of the rule that a file exports. */
const REPORTS = `
  import { Linter } from 'eslint';
  import { parser } from 'typescript-eslint';
  const [file, name, texts, cwd] = JSON.parse(process.argv[1]);
  const linter = new Linter({ cwd });
  const plugins = { kindred: { rules: { rule: (await import(file))[name] } } };
  const config = { files: ['**/*.ts'], languageOptions: { parser }, plugins, rules: { 'kindred/rule': 'error' } };
  const reports = texts.map((text) => linter.verify(text, config, cwd + '/sample.ts').map(({ line, message }) => ({ line, message })));
  console.log(JSON.stringify(reports));
`;

interface Report {
  readonly line: number;
  readonly message: string;
}

/** @param folder where the texts are linted as `sample.ts` */
async function reportsOf(
  file: string,
  rule: string,
  texts: readonly string[],
  folder = process.cwd(),
): Promise<Report[][]> {
  const args = ['--input-type=module', '-e', REPORTS, JSON.stringify([file, rule, texts, folder])];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Report[][];
}

it('what is exported has a docstring', async () => {
  const cases: [code: string, lines: number[]][] = [
    ['export const a = 1;', [1]],
    ['/** One. */\nexport const a = 1;', []],
    ['// One.\nexport const a = 1;', [2]],
    ['/* One. */\nexport const a = 1;', [2]],
    ['/** One. */\nconst a = 1;\nexport interface B {}', [3]],
    ['/** One. */\n@Injectable()\nexport class A {}', []],
    ['@Injectable()\nexport class A {}', [2]],
    ['/** One. */\nexport function a(b: string): void;\nexport function a(b: number): void;', []],
    ["export { a } from './a.js';\nconst b = 1;", []],
  ];
  const texts = cases.map(([code]) => code);
  const reports = await reportsOf('./scripts/lint/documented-exports.mjs', 'documentedExports', texts);
  expect(cases.map(([code], i) => [code, reports[i]?.map(({ line }) => line)])).toEqual(cases);
}, 120_000);

it('names are those of the glossary', async () => {
  const cases: [code: string, names: string[]][] = [
    ['const MOST_WAITING = 1;', ['MOST_WAITING']],
    ['const MAX_WAITING = 1;', []],
    ['function refusalToWrite(lane: string) {}', ['refusalToWrite', 'lane']],
    ['class StorageKeeper { private readonly surroundings = 1; }', ['StorageKeeper', 'surroundings']],
    ['interface A { mostPerUser: number; reach(): void }', ['mostPerUser', 'reach']],
    ['type Draft = string;', ['Draft']],
    [
      'class RequestAsker { turns = 1; rung = 2; figures = 3; }',
      ['RequestAsker', 'turns', 'rung', 'figures'],
    ],
    ['const answer = 1, rawAnswer = 2, answered = 3;', ['answer', 'rawAnswer']],
    ['const returns = 1, turnover = 2, wrung = 3;', []],
    ['const drafts = 1, planet = 2, mostly = 3, outreached = 4;', []],
  ];
  const texts = cases.map(([code]) => code);
  const reports = await reportsOf('./scripts/lint/standard-words.mjs', 'standardWords', texts);
  const namesOf = (all: Report[] = []) => all.map(({ message }) => message.replace(/: .*/, ''));
  expect(cases.map(([code], i) => [code, namesOf(reports[i])])).toEqual(cases);
}, 120_000);

it('no file needs itself by way of others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'circles'));
  try {
    await mkdir(join(folder, 'inner'));
    await writeFile(join(folder, 'b.ts'), "import type { C } from './inner/c.js';");
    await writeFile(join(folder, 'inner/c.ts'), "export { a } from '../sample.js';");
    await writeFile(join(folder, 'd.ts'), "export { e } from './e.js';");
    await writeFile(join(folder, 'e.ts'), "export { d } from './d.js';");
    const cases: [code: string, ways: string[]][] = [
      ["import { b } from './b.js';", ['1: b.ts → inner/c.ts']],
      ["import type { B } from './b.js';", ['1: b.ts → inner/c.ts']],
      ["import './d.js';\nexport * from './inner/c.js';", ['2: inner/c.ts']],
      ["export const late = () => import('./b.js');", ['1: b.ts → inner/c.ts']],
      ["import { d } from './d.js';\nimport { join } from 'node:path';\nimport './gone.js';", []],
    ];
    const texts = cases.map(([code]) => code);
    const reports = await reportsOf('./scripts/lint/no-circles.mjs', 'noCircles', texts, folder);
    const wayOf = ({ line, message }: Report) =>
      `${line}: ${/, by (.*)\. Move/.exec(message)?.[1] ?? message}`;
    expect(cases.map(([code], i) => [code, reports[i]?.map(wayOf)])).toEqual(cases);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
