import { execFile } from 'node:child_process';
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
  [ENGINE, `({ ownerRoles: mine, kind }: LinkedKind) => [mine, kind]`, ['LinkedKind.ownerRoles']],
  [
    ENGINE,
    `(kind: LinkedKind) => { const { ownerRules, path } = kind; return [ownerRules, path]; }`,
    ['LinkedKind.ownerRules'],
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

/** Prints, of each text, the lines on which something is exported without a docstring. */
const UNDOCUMENTED = `
  import { Linter } from 'eslint';
  import { parser } from 'typescript-eslint';
  import { documentedExports } from './scripts/lint/documented-exports.mjs';
  const linter = new Linter();
  const plugins = { kindred: { rules: { 'documented-exports': documentedExports } } };
  const rules = { 'kindred/documented-exports': 'error' };
  const config = { files: ['**/*.ts'], languageOptions: { parser }, plugins, rules };
  const answers = JSON.parse(process.argv[1]).map((text) => linter.verify(text, config, 'sample.ts').map(({ line }) => line));
  console.log(JSON.stringify(answers));
`;

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
  const args = ['--input-type=module', '-e', UNDOCUMENTED, JSON.stringify(cases.map(([code]) => code))];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const answers = JSON.parse(stdout) as number[][];
  expect(cases.map(([code], i) => [code, answers[i]])).toEqual(cases);
}, 120_000);

/** Prints, of each text, the words that stand for the private ones in it. */
const UNUSUAL = `
  import { Linter } from 'eslint';
  import { parser } from 'typescript-eslint';
  import { standardWords } from './scripts/lint/standard-words.mjs';
  const linter = new Linter();
  const plugins = { kindred: { rules: { 'standard-words': standardWords } } };
  const rules = { 'kindred/standard-words': 'error' };
  const config = { files: ['**/*.ts'], languageOptions: { parser }, plugins, rules };
  const answers = JSON.parse(process.argv[1]).map((text) =>
    linter.verify(text, config, 'sample.ts').map(({ message }) => message.replace(/: .*/, '')));
  console.log(JSON.stringify(answers));
`;

it('names are those of the glossary', async () => {
  const cases: [code: string, names: string[]][] = [
    ['const MOST_WAITING = 1;', ['MOST_WAITING']],
    ['const MAX_WAITING = 1;', []],
    ['function refusalToWrite(lane: string) {}', ['refusalToWrite', 'lane']],
    ['class StorageKeeper { private readonly surroundings = 1; }', ['StorageKeeper', 'surroundings']],
    ['interface A { mostPerUser: number; reach(): void }', ['mostPerUser', 'reach']],
    ['type Draft = string;', ['Draft']],
    ['const drafts = 1, planet = 2, mostly = 3, outreached = 4;', []],
  ];
  const args = ['--input-type=module', '-e', UNUSUAL, JSON.stringify(cases.map(([code]) => code))];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(cases.map(([code], i) => [code, (JSON.parse(stdout) as string[][])[i]])).toEqual(cases);
}, 120_000);
