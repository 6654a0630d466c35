import {
  ROOT,
  folder,
  node,
  ask,
  generate,
  done,
  change,
  sources,
  fingerprint,
  makeProject,
  endGenerators,
} from './generate/project.js';
import { PROPS, FAMILIAR, CODED, TEAMS, WORK_ENTRY, BY_HAND, TYPES_OF_V2 } from './generate/samples.js';
import { REFUSED_OPTIONS } from './generate/refused-options.js';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe as describeAlways, expect, it } from '@jest/globals';
import { Caller, type Json } from './support/client.js';
import { sql, urlOf } from './support/database.js';
import { listening } from './support/listening.js';
import { isAsItCame } from './support/own-kinds.js';

/*
 * `nest g kind` and `nest g api-version` in a copy of the project: what they write passes the checks, migrates, boots and
 * answers; what they can't write they refuse, with no file touched.
 */

/** What is generated here could be there already in a project that has kinds of its own. */
const describe = isAsItCame ? describeAlways : describeAlways.skip;
const NEST = join(ROOT, 'schematics/bin/nest.mjs');
const TOOL = (path: string) => join(ROOT, 'node_modules', path);
const DATABASE = `generated_${randomBytes(6).toString('hex')}`;

/** The tests that walk that kind, and two of the second version: one that is new there, and one that is changed. */
const WALKED = [
  '^Topic (create and read|update) ',
  '^(Lid|SampleBox) in v2 (create and read|includes) ',
  'docs/openapi.json',
  'a class for v2',
];

let child: ChildProcess | undefined;
/** Settles when the generated code has been through the checks; they run beside the tests. */
let checks: Promise<unknown> = Promise.resolve();

beforeAll(async () => {
  await makeProject();
  await sql(process.env.TEST_DATABASE_URL ?? '', `CREATE DATABASE ${DATABASE}`);
});

afterAll(async () => {
  endGenerators();
  await checks.catch(() => undefined);
  if (child && child.exitCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await sql(process.env.TEST_DATABASE_URL ?? '', `DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
  await rm(folder, { recursive: true, force: true });
});

describe('nest g kind', () => {
  const files = ['controller', 'entity', 'module', 'service'].map((part) => `sample-box.${part}.ts`);

  it('is refused where src/app.module.ts is not what it was', async () => {
    const path = join(folder, 'src/app.module.ts');
    const text = await readFile(path, 'utf8');
    const changed = text
      .replace('const KINDS: readonly Type[] = [', 'const LIST: readonly Type[] = [')
      .replace('export const VERSIONS', 'export const EDITIONS');
    await writeFile(path, changed);
    const before = await fingerprint();
    expect(await generate(['kind', 'crate'], ['api-version', '2'])).toEqual([
      { code: 1, out: expect.stringMatching(/app\.module\.ts has no list "const KINDS/) },
      { code: 1, out: expect.stringMatching(/app\.module\.ts has no list "const VERSIONS/) },
    ]);
    expect(await fingerprint()).toBe(before);
    await writeFile(path, text);
  });

  it('writes nothing in a dry run', async () => {
    const before = await fingerprint();
    const [kind, version] = await generate(
      ['kind', 'SampleBox', '--props', PROPS, '--dry-run'],
      ['api-version', '2', '--dry-run'],
    );
    expect([kind?.code, kind?.out.match(/CREATE/g)?.length]).toEqual([0, 4]);
    expect([version?.code, version?.out]).toEqual([
      0,
      expect.stringMatching(/CREATE.*src\/versions\/v2\/v2\.module\.ts/),
    ]);
    for (const ended of [kind, version]) expect(ended?.out).toContain('No files written');
    expect(await fingerprint()).toBe(before);
  });

  it('leaves the generators of the Nest CLI to it, and gives their imports the endings of ES modules', async () => {
    const module = await readFile(join(folder, 'src/app.module.ts'), 'utf8');
    await done(node([NEST, 'g', 'controller', 'stock/crane']));
    const read = (file: string) => readFile(join(folder, 'src', file), 'utf8');
    expect(await read('stock/crane/crane.controller.spec.ts')).toContain(`'./crane.controller.js'`);
    expect(await read('app.module.ts')).toContain(`'./stock/crane/crane.controller.js'`);
    await rm(join(folder, 'src/stock'), { recursive: true });
    await writeFile(join(folder, 'src/app.module.ts'), module);
  });

  it('writes what is asked for; what comes after a new version of the API belongs to that', async () => {
    const first = await readdir(join(folder, 'src/kinds'), { recursive: true });
    // A role that nobody can give, of which the command line must not say that it was given.
    await change('src/kinds/user/user.entity.ts', (text) =>
      text.replace(
        '  @Prop.parent({\n',
        `  @Prop.boolean({ required: true, default: false, enumLabels: ['No', 'Yes'], view: ['owner'], edit: [] })\n  founder!: boolean;\n\n  @Prop.parent({\n`,
      ),
    );
    const lid = 'box:parent(SampleBox):required:list(lids):public,note:string:20:search:public';
    const ended = await generate(
      ['kind', 'SampleBox', '--props', PROPS],
      ...FAMILIAR.map((name) => ['kind', name]),
      ['kind', 'topic', '--view', 'public', '--props', CODED],
      ...TEAMS.map((words) => ['kind', ...words]),
    );
    expect(TEAMS.map(([name]) => name)).toEqual(['team', 'team-member', 'project', 'task']);
    ended.push(...(await generate(WORK_ENTRY, ['api-version', '2'])));
    expect(ended.map(({ code, out }) => (code === 0 ? 0 : out))).toEqual(ended.map(() => 0));
    await done(node([NEST, 'g', 'kind', 'lid', '--view', 'public', '--props', lid]));
    expect((await readdir(join(folder, 'src/kinds/sample-box'))).sort()).toEqual(files);
    const added = (await readdir(join(folder, 'src/kinds'), { recursive: true })).filter(
      (file) => !first.includes(file),
    );
    const folders = ['lid', 'sample-box', 'topic', 'work-entry', ...TEAMS.map(([name]) => name), ...FAMILIAR];
    expect(added.filter((file) => !folders.includes(file.split(/[/\\]/)[0] ?? ''))).toEqual([]);
    for (const [file, text] of Object.entries(BY_HAND)) await writeFile(join(folder, file), text);
    await change('src/versions/v2/sample-box/sample-box.entity.ts', (text) =>
      text
        .replace(`@KindVersion('v2')`, `@KindVersion('v2', { without: ['contact'] })`)
        .replace(
          /(class SampleBoxV2 extends SampleBox \{)/,
          `$1\n  @Prop.string({ column: 'title', length: 60, required: true, unique: true, uniqueCaseInsensitive: true, filterQuery: true, view: ['owner'], edit: ['owner'] })\n  label!: string;\n` +
            `\n  @Prop.int({ filterRange: true, view: ['public'], edit: ['owner'] })\n  weight!: number | null;\n`,
        ),
    );
  });

  it('lets members see what they are members of, and lists be seen by whom the other kind knows', async () => {
    const entityOf = (name: string) => readFile(join(folder, `src/kinds/${name}/${name}.entity.ts`), 'utf8');
    expect(await entityOf('team')).toContain(
      `  view: ['owner', 'member'],\n  create: ['owner'],\n  write: ['owner', 'manager'],\n`,
    );
    const list = (view: string) => `@Prop.children({ name: 'entries', kind: 'WorkEntry', view: [${view}] })`;
    expect(await entityOf('task')).toContain(list(`'owner', 'agent'`));
    expect(await entityOf('team')).toContain(list(`'owner'`));
  });

  it('says which list it leaves to the developer, because it is not spelled out', async () => {
    const file = 'src/kinds/club/club.entity.ts';
    const entity = (view: string) =>
      `@Kind({ kind: 'Club', version: 'v2', path: 'clubs', owner: ['$userId'], view: ${view}, create: ['owner'], write: [] })\nexport class Club {}\n`;
    const ended = [];
    await mkdir(join(folder, 'src/kinds/club'));
    for (const view of ['SEEN', `['public']`]) {
      await writeFile(join(folder, file), entity(view));
      ended.push(...(await generate(['kind', 'guest', '--membership', 'club(a|b)', '--dry-run'])));
    }
    await rm(join(folder, 'src/kinds/club'), { recursive: true });
    const told = ended.map(({ code, out }) => [
      code,
      ...stripVTControlCharacters(out)
        .split('\n')
        .flatMap((line) => (line.includes('by hand') ? [line.trim()] : [])),
    ]);
    const line = (words: string) => `Add ${words} of Club in ${file} by hand, if they shall have it.`;
    expect(told).toEqual([
      [0, line('member to view'), line('b to write')],
      [0, line('b to write')],
    ]);
  });

  it('gives a kind that migrates, and a class of the client for each version', async () => {
    const build = () => done(node([TOOL('@nestjs/cli/bin/nest.js'), 'build']));
    await build();
    const team = join(folder, 'dist/src/kinds/team/team.entity.js');
    const compiled = await readFile(team, 'utf8');
    await writeFile(team, compiled.replace(`path: 'teams'`, `path: 'Teams!'`));
    const commands = [['generate-migration.js', 'wrong'], ['write-document.js'], ['migrate.js', 'show']];
    for (const [file = '', ...words] of commands)
      expect(await node([`dist/src/cli/${file}`, ...words])).toEqual({
        code: 1,
        out: expect.stringMatching(/^Kind Team: [^\n]*\n$/),
      });
    await writeFile(team, compiled);
    const told = await done(node(['dist/src/cli/generate-migration.js', 'add-sample-boxes']));
    expect(told).toMatch(/Wrote src.database.migrations.\d{13}-add-sample-boxes\.ts/);
    await build();
    const ofVersionGone = ['docs/openapi.v9.json', 'client/src/schema.v9.ts', 'client/src/kindred.v9.ts'];
    for (const file of ofVersionGone) await writeFile(join(folder, file), '{}');
    await done(node(['dist/src/cli/write-document.js']));
    await done(node(['scripts/client.mjs']));
    for (const file of ofVersionGone) await expect(readFile(join(folder, file))).rejects.toThrow('ENOENT');
    const files = ['kindred.v2.ts', 'schema.v2.ts'];
    const texts = await Promise.all(files.map((file) => readFile(join(folder, 'client/src', file), 'utf8')));
    await rm(join(folder, 'client/src', 'kindred.v2.ts'));
    await change('client/src/schema.v2.ts', (text) => `${text}\n`);
    expect(await node(['scripts/client.mjs', '--check'])).toEqual({
      code: 1,
      out: files.map((file) => `client/src/${file} is not current: run npm run client.\n`).join(''),
    });
    for (const [i, file] of files.entries())
      await writeFile(join(folder, 'client/src', file), texts[i] ?? '');
    await writeFile(join(folder, 'test/client.v2.types.ts'), TYPES_OF_V2);

    const parts = ['src/kinds/sample-box', 'src/kinds/lid', 'src/versions'];
    const written = (await sources()).filter((file) =>
      /^src\/(kinds\/|versions\/|app\.module\.ts$)/.test(file),
    );
    const asked = {
      types: [...parts, 'src/kinds/user', 'src/app.module.ts', 'test/client.v2.types.ts'],
      lint: parts,
      // But for what was changed by hand.
      format: written.filter(
        (file) => !/v2\/sample-box\/sample-box.entity|topic\.(service|values)/.test(file),
      ),
    };
    checks = done(node([join(ROOT, 'test/support/check-sources.mjs'), JSON.stringify(asked)])).then(
      (told) => {
        const { checked } = JSON.parse(/^\{"checked".*$/m.exec(told)?.[0] ?? 'null') as {
          checked: Record<string, number>;
        };
        // A pattern that meets nothing checks nothing.
        expect(checked).toEqual({
          types:
            written.filter((file) => asked.types.some((part) => `${file}/`.startsWith(`${part}/`))).length +
            1,
          lint: written.filter((file) => parts.some((part) => file.startsWith(`${part}/`))).length,
          format: asked.format.length,
        });
        expect(checked.lint).toBeGreaterThan(10);
      },
    );
    checks.catch(() => undefined); // the test below tells
  });

  it('gives kinds that the tests of every kind test too, whatever their names and rules', async () => {
    const config = `module.exports = { ...require('./jest.config.cjs'), globalSetup: undefined, globalTeardown: undefined };`;
    await writeFile(join(folder, 'jest.nested.cjs'), config); // the database is there
    const totals = join(folder, 'totals.json');
    const suites = ['test/every-kind/', 'test/client.e2e-spec'];
    const jest = [
      '--experimental-vm-modules',
      TOOL('jest/bin/jest.js'),
      '--config',
      'jest.nested.cjs',
      '--runInBand',
    ];
    const reporters = ['--reporters=default', '--reporters=./scripts/lib/count-reporter.mjs'];
    const asked = [...jest, ...suites, '-t', WALKED.join('|'), ...reporters];
    const { code, out } = await node(asked, { KINDRED_TEST_TOTALS: totals });
    expect(code === 0 ? '' : out.slice(Math.max(out.indexOf('●'), 0))).toBe('');
    const { passed, failed } = JSON.parse(await readFile(totals, 'utf8')) as Record<string, number>;
    expect(failed).toBe(0);
    expect(passed).toBeGreaterThan(20);
  });

  it('gives a kind that boots and answers', async () => {
    const env = { DATABASE_URL: urlOf(DATABASE), APP_SECRET: 'a'.repeat(40), PORT: '0', LOG_LEVEL: 'silent' };
    child = spawn(process.execPath, ['dist/src/main.js'], {
      cwd: folder,
      env: { ...process.env, ...env, NODE_OPTIONS: '', CRON_CONCURRENCY: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [url = ''] = await listening(child);
    const anon = new Caller(url);
    const owner = await person(anon, 'maker');
    const other = await person(anon, 'other');

    expect((await anon.post('/sampleboxes', { title: 'No' })).status).toBe(401);
    const box = await owner.post('/sampleboxes', {
      title: 'Red Box',
      price: 7,
      data: { a: 1 },
      active: true,
    });
    expect([box.text, box.status]).toEqual([box.text, 201]);
    const { id } = box.body.props as { id: string };
    expect(box.body.props).toMatchObject({ status: 'draft', price: 7, active: true, contact: null });
    const part = await owner.post('/sampleboxes', { title: 'Part', parentId: id, price: 9 });
    expect(part.status).toBe(201);
    expect((await owner.post('/sampleboxes', { title: 'RED BOX' })).body.error).toMatchObject({ code: 409 });
    expect((await owner.post('/sampleboxes', { title: 'x', code: 'y' })).body.error).toMatchObject({
      code: 442,
      data: 'code',
    });

    const found = async (caller: Caller, query: string) =>
      ((await caller.get(`/sampleboxes${query}`)).body.items as Json[] | undefined)?.map(
        (item) => (item.props as Json).title as string,
      );
    expect(await found(owner, '?sortBy=price&sortOrder=desc')).toEqual(['Part', 'Red Box']);
    expect(await found(owner, '?price=>8')).toEqual(['Part']);
    expect(await found(owner, '?search=red')).toEqual(['Red Box']);
    expect(await found(owner, `/${id}/parts`)).toEqual(['Part']);
    const { options } = (await owner.get(`/sampleboxes/${id}?includeOptions=true`)).body as { options: Json };
    expect(options.status).toEqual([
      { label: 'Draft', value: 'draft' },
      { label: 'On air', value: 'live' },
    ]);

    // Closed by default: nobody else sees that there is anything.
    expect(await found(other, '')).toEqual([]);
    expect((await anon.get('/sampleboxes')).status).toBe(401);
    for (const caller of [other, anon]) {
      expect((await caller.get(`/sampleboxes/${id}`)).status).toBe(404);
      expect((await caller.put(`/sampleboxes/${id}`, { title: 'Mine' })).status).toBe(404);
    }

    // The same in version 2, as that declares it, and the kind that came with it.
    const second = owner.in('v2');
    const seen = (await second.get(`/sampleboxes/${id}?includeLinks=true`)).body as {
      props: Json;
      links: Json;
    };
    expect(seen.props).toMatchObject({ id, label: 'Red Box', price: 7, weight: null });
    expect(seen.props).not.toHaveProperty('contact');
    expect(seen.links.lids).toEqual({
      href: `/api/v2/sampleboxes/${id}/lids`,
      methods: ['GET'],
      usage: 'rest',
    });
    const heavy = await second.put(`/sampleboxes/${id}`, { label: 'Blue Box', weight: 3 });
    expect(heavy.body.props).toMatchObject({ label: 'Blue Box', weight: 3 });
    expect((await owner.get(`/sampleboxes/${id}`)).body.props).toMatchObject({ title: 'Blue Box' });
    expect((await second.post('/lids', { boxId: id, note: 'oak' })).status).toBe(201);
    const lids = (await anon.in('v2').get('/lids?search=oak&sortBy=note')).body.items as Json[];
    expect(lids.map(({ props }) => (props as Json).boxId as unknown)).toEqual([id]);
    expect((await owner.get('/lids')).status).toBe(404);
    expect((await owner.get(`/sampleboxes/${id}/lids`)).status).toBe(404);
    expect((await second.get('/users/whoami')).status).toBe(200);
    expect((await second.post('/apikeys', { name: 'key' })).body.meta).toHaveProperty('privateKey');
    expect((await second.get('/test')).status).toBe(200);
    expect((await anon.get('//api/v2/openapi.json')).body.paths).toHaveProperty(['/api/v2/lids']);

    // Those of a team: what a guest, an agent and an assignee see of it, in both versions.
    const post = async (caller: Caller, path: string, body: Json) => {
      const made = await caller.post(path, body);
      expect([path, made.status, made.text]).toEqual([path, 201, made.text]);
      return String((made.body.props as Json).id);
    };
    const agent = await person(anon, 'agent');
    const idOf = async (caller: Caller) =>
      String(((await caller.get('/users/whoami')).body.props as Json).id);
    const team = await post(owner, '/teams', { name: 'Alpha' });
    const project = await post(owner, '/projects', { name: 'One', teamId: team });
    const task = await post(owner, '/tasks', { title: 'Write', note: 'secret', projectId: project });
    const tasksOf = async (caller: Caller): Promise<[unknown, unknown][]> => {
      const items = (await caller.get('/tasks')).body.items as { props: Record<string, unknown> }[];
      return items.map(({ props }) => [props.id, props.note]);
    };
    expect([await tasksOf(other), await tasksOf(agent)]).toEqual([[], []]);
    expect((await agent.get(`/teams/${team}`)).status).toBe(404);
    for (const [caller, role] of [
      [other, 'guest'],
      [agent, 'agent'],
    ] as const) {
      const id = await post(owner, '/teammembers', { memberId: await idOf(caller), teamId: team, role });
      expect(await tasksOf(caller)).toEqual([]);
      expect((await caller.put(`/teammembers/${id}`, { accepted: true })).status).toBe(200);
    }
    expect((await agent.get(`/teams/${team}`)).body.props).toMatchObject({ name: 'Alpha' });
    expect((await agent.put(`/teams/${team}`, { name: 'Mine' })).status).toBe(403);
    expect(await tasksOf(other)).toEqual([[task, undefined]]);
    expect(await tasksOf(agent.in('v2'))).toEqual([[task, 'secret']]);
    expect((await other.put(`/tasks/${task}`, { status: 'done' })).status).toBe(403);
    expect((await agent.put(`/tasks/${task}`, { status: 'done' })).body.props).toMatchObject({
      status: 'done',
    });
    expect((await other.post('/tasks', { title: 'Mine', projectId: project })).status).toBe(403);
    await post(agent, '/tasks', { title: 'Next', projectId: project, assigneeId: await idOf(other) });
    expect((await anon.get('/tasks')).status).toBe(401);

    // The command line, where a class of service stands for one in each version.
    const cli = async (...args: string[]) => {
      const job = spawn(process.execPath, ['dist/src/cli.js', ...args], {
        cwd: folder,
        env: { ...process.env, ...env, NODE_OPTIONS: '' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [stdout, stderr, [code]] = await Promise.all([
        text(job.stdout),
        text(job.stderr),
        once(job, 'exit') as Promise<[number]>,
      ]);
      return { code, stdout, stderr };
    };
    const reset = await cli('user', 'reset-password', 'other', '--generate');
    expect([reset.stderr, reset.code]).toEqual(['', 0]);
    const { username, password } = JSON.parse(reset.stdout) as Record<string, string>;
    expect((await anon.post('/sessions', { login: username, password })).status).toBe(201);
    expect(await cli('user', 'grant', 'other', 'founder')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The role founder can’t be granted or revoked: it is one of admin, developer, verifiedEmail.\n',
    });
  });

  it('writes what the checks of the project let pass', async () => {
    await checks;
  });
});

describe('what exists already', () => {
  const ended = async (...words: string[]) => (await generate(words))[0];

  it('is never overwritten, file by file', async () => {
    for (const part of ['entity', 'service', 'controller', 'module']) {
      const file = `src/kinds/crate/crate.${part}.ts`;
      await mkdir(join(folder, 'src/kinds/crate'), { recursive: true });
      await writeFile(join(folder, file), '// mine\n');
      const before = await fingerprint();
      expect(await ended('kind', 'crate')).toEqual({
        code: 1,
        out: expect.stringContaining(`${file} is there already, and nothing is overwritten`),
      });
      expect(await fingerprint()).toBe(before);
      await rm(join(folder, 'src/kinds/crate'), { recursive: true });
    }
    await mkdir(join(folder, 'src/versions/v3'), { recursive: true });
    await writeFile(join(folder, 'src/versions/v3/mine.ts'), '// mine\n');
    const before = await fingerprint();
    expect(await ended('api-version', '3')).toEqual({
      code: 1,
      out: expect.stringContaining('Version 3 is there already: src/versions/v3'),
    });
    expect(await fingerprint()).toBe(before);
    await rm(join(folder, 'src/versions/v3'), { recursive: true });
  });

  it('is not what an empty option falls back to', async () => {
    const before = await fingerprint();
    for (const option of ['path', 'owner', 'view', 'create', 'props']) {
      expect(await ended('kind', 'crate', `--${option}`, ' ')).toEqual({
        code: 1,
        out: `${option} is empty: leave it out, or say something.\n`,
      });
    }
    expect((await ended('kind', ' '))?.code).toBe(1);
    expect(await fingerprint()).toBe(before);
  });

  it('of services is followed up to RecordService; one that is not found stops the next version', async () => {
    const service = 'src/kinds/sample-box/sample-box.service.ts';
    const text = await readFile(join(folder, service), 'utf8');
    const base =
      `import type { EntityClass } from '../../record/schema/kind-def.js';\nimport { RecordEngine } from '../../record/record-engine.js';\n` +
      `import { RecordService } from '../../record/record.service.js';\n\n/** For all of ours. */\n` +
      `export abstract class HouseService extends RecordService {\n  constructor(word: string, engine: RecordEngine, entity: EntityClass) {\n` +
      `    super(engine, entity);\n    void word;\n  }\n}\n`;
    await writeFile(join(folder, 'src/kinds/house.service.ts'), base);
    const heir = text
      .replace('extends RecordService', 'extends HouseService')
      .replace('super(engine, SampleBox)', `super('box', engine, SampleBox)`)
      .replace(/import \{ RecordService \}.*/, `import { HouseService } from '../house.service.js';`);
    await writeFile(join(folder, service), heir);
    const found = await ended('api-version', '3', '--dry-run');
    expect([found?.out, found?.code]).toEqual([
      expect.stringContaining('src/versions/v3/sample-box/sample-box.service.ts'),
      0,
    ]);
    await writeFile(
      join(folder, service),
      heir.replace(`super('box', engine, SampleBox)`, 'super(...parts)'),
    );
    const before = await fingerprint();
    expect(await ended('api-version', '3')).toEqual({
      code: 1,
      out: expect.stringMatching(
        /no service of SampleBox\w* was found: let its constructor call super\(engine, SampleBox\)/,
      ),
    });
    expect(await fingerprint()).toBe(before);
    await writeFile(join(folder, service), text);
    await rm(join(folder, 'src/kinds/house.service.ts'));
  });
});

describe('the kinds of the tests', () => {
  it('have names and paths that no user’s kind can have', async () => {
    const files = (
      await Promise.all(['test', 'bench'].map((part) => readdir(part, { recursive: true })))
    ).flatMap((names, i) => names.map((name) => join(['test', 'bench'][i] ?? '', name)));
    const declared: string[] = [];
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
      const text = await readFile(file, 'utf8');
      for (const [, kind = '', path = ''] of text.matchAll(/\bKind\(\{\s*kind: '(\w+)',\s*path: '(\w+)'/g)) {
        expect([file, kind, path]).toEqual([
          file,
          expect.stringMatching(/^Dummy[A-Z]/),
          expect.stringMatching(/^dummy[a-z]/),
        ]);
        declared.push(kind);
      }
    }
    expect(declared.length).toBeGreaterThan(12);
  });
});

describe('options that are refused', () => {
  it('are each refused in one line with the fix, and good ones are not', async () => {
    const good: Record<string, string>[] = [
      { name: 'crate' },
      {
        name: 'shop/orderLine',
        props: 'crate:parent(User):required:cascade',
        owner: '^crate',
        view: 'public',
      },
      { name: 'crate', owner: 'developer', create: 'developer,admin' },
      { name: 'person', path: 'people' },
      ...['link', 'error', 'option', 'paging', 'warning', 'organisation'].map((name) => ({ name })),
      { name: 'crate', props: 'box:parent(User):required:unique,state:enum(on|off):unique(boxId)' },
      { name: 'dummy' },
      {
        name: 'crate',
        groups: 'member=^team,crew=^team.agent|admin,boss=^team.owner,all=crew|boss',
        props: 'team:parent(Team):attach(owner|agent|admin)',
      },
      {
        name: 'crate',
        groups: 'crew=$workerId',
        props: 'up:parent(Crate):attach(crew),worker:parent(User):any',
      },
      { number: '3' },
    ];
    const before = await fingerprint();
    const { answers, keywords } = await ask<{ answers: (string | null)[]; keywords: string[] }>({
      options: [...REFUSED_OPTIONS.map(([options]) => options), ...good],
    });
    REFUSED_OPTIONS.forEach(([options, sentence], i) => {
      expect([options, answers[i]]).toEqual([options, expect.stringMatching(sentence)]);
      expect(answers[i]).not.toContain('\n');
    });
    expect(answers.slice(REFUSED_OPTIONS.length)).toEqual(good.map(() => null));
    expect(await fingerprint()).toBe(before);

    const words = `SELECT word FROM pg_get_keywords() WHERE catcode IN ('R', 'T')`;
    const reserved = await sql<{ word: string }>(process.env.TEST_DATABASE_URL ?? '', words);
    expect(keywords.sort()).toEqual(reserved.map(({ word }) => word).sort());
  });
});

/** Signs somebody up and in. */
async function person(anon: Caller, username: string): Promise<Caller> {
  const password = 'correct horse battery';
  const made = await anon.post('/users', { username, email: `${username}@mail.test`, password });
  expect(made.status).toBe(201);
  const { body } = await anon.post('/sessions', { login: username, password });
  return new Caller(anon.base, String((body.props as Json).id));
}
