import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import type { Logger } from 'pino';
import { runCommand } from '../src/cli/cli.module.js';
import { faultOf } from '../src/cli/command-error.js';
import { AdminOperations } from '../src/cli/admin-operations.js';
import { Terminal } from '../src/cli/terminal.js';
import { startEmbeddedPostgres } from '../src/database/embedded/embedded-postgres.js';
import { fold } from '../src/record/schema/formats.js';
import { registeredKinds } from '../src/record/schema/kind.js';
import { SERVICE_LOG } from '../src/http/logging.module.js';
import { Caller, type Json } from './support/client.js';
import { sql } from './support/database.js';
import { type Fixture, resetFixture } from './support/fixture.js';
import { startTestService, type TestService } from './support/service.js';

/*
 * The command line beside a service on the same database: as a process of its own, from the build, where it is about what
 * only a process has; elsewhere the same commands in this process, which takes a tenth of the time.
 */

const APP_SECRET = 'a secret for tests alone, 32 characters';
const PASSWORD = 'swordfish and chips';

/** A terminal in which somebody types a line for each prompt. */
type TTY = Readable & { readonly isTTY: true };

let service: TestService;
let fixture: Fixture;
/** Of the service; none where commands use the embedded database. */
let databaseUrl: string;
let dataDir: string;
/** Modules of further kinds and versions, which the service has and commands must have too. */
let further: readonly Type[] = [];

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Run = (args: readonly string[], input?: string, env?: Record<string, string>) => Promise<Ran>;

const environment = () => ({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, APP_SECRET });

const asProcess: Run = async (args, input = '', env = {}) => {
  if (further.length) return here(args, input, env); // the build has one version
  const child = spawn(process.execPath, ['dist/src/cli.js', ...args], {
    env: { PATH: process.env.PATH, ...environment(), ...env },
  });
  child.stdin.on('error', () => undefined); // a command that asks for nothing reads nothing
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { code, stdout, stderr };
};

/** The command in this process. What is typed stands in `input`, or comes from a terminal. */
const here = async (
  args: readonly string[],
  input: string | TTY = '',
  env: Record<string, string> = {},
): Promise<Ran> => {
  const output = new PassThrough();
  const errors = new PassThrough();
  const said = Promise.all([text(output), text(errors)]);
  const terminal = new Terminal(
    args,
    { ...environment(), ...env },
    typeof input === 'string' ? Readable.from([input]) : input,
    output,
    errors,
  );
  const code = await runCommand(terminal, further).then(
    () => 0,
    (error: unknown) => {
      terminal.say(faultOf(error)); // as cli.ts does
      return 1;
    },
  );
  output.end();
  errors.end();
  const [stdout, stderr] = await said;
  return { code, stdout, stderr };
};

/** What the lines of the audit log say was done. */
const auditOf = (stderr: string): unknown[] =>
  stderr
    .trim()
    .split('\n')
    .map((line): unknown => (JSON.parse(line) as Json).action);

/** A command that succeeds: its one JSON document. */
async function result(
  args: readonly string[],
  run: Run = here,
  input?: string,
): Promise<Json & { stderr: string }> {
  const { code, stdout, stderr } = await run(args, input);
  expect([args, code, stderr.replace(/^\{"level":"info".*"msg":"audit"\}\n/gm, '')]).toEqual([args, 0, '']);
  return { ...(JSON.parse(stdout) as Json), stderr };
}

const login = (name: string, password: string) => service.anon.post('/sessions', { login: name, password });

const VERSIONS: [string, () => Promise<readonly Type[]>][] = [
  ['one version', () => Promise.resolve([])],
  [
    'two versions',
    async () => {
      // Loaded late: what has been loaded are the kinds that there are.
      const { FIRST, SECOND } = await import('./kinds/versions.js');
      return [...FIRST, ...SECOND];
    },
  ],
];

describe.each(VERSIONS)('with %s of the API', (_name, load) => {
  beforeAll(async () => {
    further = await load();
    dataDir = await mkdtemp(join(tmpdir(), 'kindred-cli-'));
    service = await startTestService({ kinds: further, template: 'versions' });
    databaseUrl = service.databaseUrl;
  });
  afterAll(async () => {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    fixture = await resetFixture(service);
  });

  describe('user', () => {
    it('is created with the rules of the API, and its password is written nowhere', async () => {
      const made = await result(
        ['user', 'create', 'zoe', 'zoe@mail.test', '--name', 'Zoe Example', '--role', 'developer', 'admin'],
        asProcess,
        `${PASSWORD}\nanother line\n`,
      );
      const { stderr, ...shown } = made;
      expect(shown).toEqual({
        id: expect.stringMatching(/^v\w+$/),
        username: 'zoe',
        email: 'zoe@mail.test',
        roles: ['developer', 'admin'],
      });
      expect(stderr).not.toContain(PASSWORD);
      for (const action of ['grant admin', 'grant developer'])
        expect(stderr).toContain(`"action":"${action}"`);
      const session = await login('Zoe', PASSWORD);
      expect(session.status).toBe(201);
      const me = await new Caller(service.url, String((session.body.props as Json).id)).get('/users/whoami');
      expect(me.body.props).toMatchObject({
        id: made.id as string,
        realName: 'Zoe Example',
        admin: true,
        developer: true,
        verifiedEmail: false,
      });
      const [stored] = await service.sql(`SELECT "passwordHash" FROM users WHERE username = 'zoe'`);
      expect(stored?.passwordHash).toMatch(/^\$argon2id\$/);
    });

    it('gets a password that ends every session, once printed', async () => {
      expect((await fixture.owner.call.get('/users/whoami')).status).toBe(200);
      const { stderr, password, ...rest } = await result([
        'user',
        'reset-password',
        fixture.owner.email,
        '--generate',
      ]);
      expect(rest).toEqual({ id: fixture.owner.id, username: 'owner_u' });
      expect(password).toMatch(/^[0-9A-Za-z]{20}$/);
      expect(auditOf(stderr)).toEqual(['change password']);
      expect(stderr).not.toContain(password);
      expect((await fixture.owner.call.get('/users/whoami')).status).toBe(401);
      expect((await fixture.other.call.get('/users/whoami')).status).toBe(200);
      expect((await login('owner_u', 'correct horse battery')).status).toBe(401);
      expect((await login('owner_u', String(password))).status).toBe(201);
    });

    it('gets and loses roles, but the last administrator stays one', async () => {
      const last = await asProcess(['user', 'revoke', 'ADMIN_U', 'admin']);
      expect(last).toEqual({
        code: 1,
        stdout: '',
        stderr: 'This is the last administrator; make another one first.\n',
      });
      const { stderr, ...granted } = await result(['user', 'grant', fixture.other.id, 'admin']);
      expect(granted).toEqual({ id: fixture.other.id, username: 'other_u', roles: ['admin'] });
      expect(JSON.parse(stderr)).toMatchObject({
        event: 'role',
        action: 'grant admin',
        actor: null,
        target: fixture.other.id,
        address: 'command line',
      });
      const admins = await service.sql('SELECT username FROM users WHERE admin ORDER BY 1');
      expect(admins).toEqual([{ username: 'admin_u' }, { username: 'other_u' }]);
    });
  });

  describe('apikey create', () => {
    it('prints the body of a login, which is the user’s own', async () => {
      const { stderr, ...body } = await result([
        'apikey',
        'create',
        'owner_u',
        'robot',
        '--expires',
        '2099-12-31',
      ]);
      expect(Object.keys(body)).toEqual(['apiKey', 'privateKey']);
      expect(auditOf(stderr)).toEqual(['create']);
      expect(stderr).not.toContain(body.privateKey);
      const session = await service.anon.post('/sessions', body);
      expect(session.status).toBe(201);
      const caller = new Caller(service.url, String((session.body.props as Json).id));
      const key = await caller.get(`/apikeys/${String(body.apiKey)}?includeMeta=true`);
      expect(key.body.props).toMatchObject({
        name: 'robot',
        userId: fixture.owner.id,
        expiresAt: '2099-12-31T00:00:00.000Z',
      });
      expect(key.body.meta).not.toHaveProperty('privateKey');
    });
  });

  describe('a command with another APP_SECRET', () => {
    it.each<[string, string[]]>([
      ['user create', ['user', 'create', 'mallory', 'mallory@mail.test', '--generate']],
      ['user reset-password', ['user', 'reset-password', 'owner_u', '--generate']],
      ['user grant', ['user', 'grant', 'owner_u', 'admin']],
      ['apikey create', ['apikey', 'create', 'owner_u', 'robot']],
    ])('says so in one line and changes nothing: %s', async (_what, args) => {
      const all = () =>
        service.sql(
          `SELECT u.username, u.admin, u."passwordHash", array_agg(k.id ORDER BY k.id) FROM users u
           LEFT JOIN apikeys k ON k."userId" = u.id GROUP BY u.id ORDER BY u.id`,
        );
      const before = await all();
      const { code, stdout, stderr } = await here(args, '', {
        APP_SECRET: 'another secret for tests, 32 characters',
      });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^APP_SECRET is not the one that this database has been used with, .*\.\n$/);
      expect(await all()).toEqual(before);
    });
  });

  describe('a command that can’t be done', () => {
    it.each<[string, string[], RegExp]>([
      ['no password', ['user', 'reset-password', 'owner_u'], /^There is no password: .*--generate\.$/],
      ['no such role', ['user', 'grant', 'owner_u', 'king'], /^There is no role king: .*admin/],
      ['no database', ['user', 'grant', 'owner_u', 'admin'], /^The database can’t be used: .*DATABASE_URL/],
    ])('says in one line why: %s', async (_what, args, reason) => {
      const url = new URL(service.databaseUrl);
      url.pathname = '/not_there';
      const { code, stdout, stderr } = await here(args, '', { DATABASE_URL: url.href });
      expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([1, '', 1]);
      expect(stderr.trimEnd()).toMatch(reason);
      expect(stderr).not.toContain(url.password);
    });

    it.each<[string, (setup: AdminOperations) => Promise<unknown>, RegExp]>([
      [
        'faults of several values',
        (setup) => setup.createUser({ username: 'a b', email: 'no-address', password: 'short' }),
        /^username must be letters.* email must be an e-mail address\. password must have at least 8 characters\.$/,
      ],
      [
        'a name that is taken',
        (setup) => setup.createUser({ username: 'OWNER_U', email: 'x@mail.test', password: PASSWORD }),
        /^username is taken/,
      ],
      ['nobody of that name', (setup) => setup.find('nobody'), /^No user has .*"nobody"\.$/],
      [
        'what is no role',
        (setup) => Promise.resolve().then(() => setup.checkRole('username')),
        /^The role username can’t be granted/,
      ],
      [
        'one user’s id that is another’s name',
        async (setup) => {
          const { id } = fixture.owner;
          const values = [id, fold(id), fixture.other.username];
          await service.sql(
            'UPDATE users SET username = $1, "usernameFolded" = $2 WHERE username = $3',
            values,
          );
          return setup.find(id);
        },
        /^"\w+" is one user’s id and another’s name: give the e-mail address\.$/,
      ],
      [
        'a text that no body may hold',
        async (setup) => setup.updateUser(await setup.find('owner_u'), { password: 'nul \0 byte' }),
        /NUL/,
      ],
    ])('hears what the API would answer: %s', async (_what, work, reason) => {
      const logger = service.app.get<Logger>(SERVICE_LOG, { strict: false });
      const fault = await work(new AdminOperations(service.app, logger)).then(() => 'done', faultOf);
      expect(fault).toMatch(reason);
      expect(await service.sql('SELECT count(*)::int AS n FROM users')).toEqual([{ n: 3 }]);
      expect((await login('owner_u', 'correct horse battery')).status).toBe(201);
    });
  });

  describe('a password that is typed', () => {
    /** Types one of the lines whenever the command asks for something. */
    const reset = async (...lines: string[]): Promise<Ran> => {
      const input = Object.assign(new PassThrough(), { isTTY: true as const });
      const output = new PassThrough();
      const errors = new PassThrough();
      const said = Promise.all([text(output), text(errors)]);
      errors.on('data', (chunk: Buffer) => {
        if (/: $/.test(String(chunk))) setImmediate(() => input.write(lines.shift() ?? '\u0003'));
      });
      const terminal = new Terminal(
        ['user', 'reset-password', 'owner_u'],
        environment(),
        input,
        output,
        errors,
      );
      const code = await runCommand(terminal, further).then(
        () => 0,
        (error: unknown) => {
          terminal.say(faultOf(error));
          return 1;
        },
      );
      for (const stream of [output, errors]) stream.end();
      const [stdout, stderr] = await said;
      return { code, stdout, stderr };
    };

    it('is asked for twice; two that differ, and none at all, change nothing', async () => {
      const differ = await reset(`${PASSWORD}\r`, 'swordfish and peas\r');
      expect([differ.code, differ.stdout]).toEqual([1, '']);
      expect(differ.stderr).toMatch(/^New password: \nThe same again: \nThe two passwords differ: .*\n$/);
      const none = await reset('\u0003');
      expect([none.code, none.stdout]).toEqual([1, '']);
      expect(none.stderr).toContain('No password was given; nothing was changed.');
      expect((await login('owner_u', 'correct horse battery')).status).toBe(201);

      const same = await reset(`${PASSWORD}\r`, `${PASSWORD}\r`);
      expect([same.code, JSON.parse(same.stdout)]).toEqual([
        0,
        { id: fixture.owner.id, username: 'owner_u' },
      ]);
      expect(same.stderr + same.stdout).not.toContain(PASSWORD);
      expect((await login('owner_u', 'correct horse battery')).status).toBe(401);
      expect((await login('owner_u', PASSWORD)).status).toBe(201);
    });
  });

  describe('kinds', () => {
    it('prints the whole declarations, and nothing that is none', async () => {
      const { code, stdout } = await here(['kinds'], '', {
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      });
      expect(code).toBe(0);
      const kinds = JSON.parse(stdout) as Json[];
      const own = registeredKinds()
        .map(({ kind }) => kind)
        .filter((kind) => !kind.startsWith('Dummy'));
      const ours = [...new Set(['APIKey', 'CronJob', 'CronRun', 'ObjectFile', 'Session', 'User', ...own])];
      expect([...new Set(kinds.map(({ kind }) => String(kind)))].sort()).toEqual(
        [...ours, ...(further.length ? ['DummyBook', 'DummyShelf'] : [])].sort(),
      );
      const user = kinds.find(({ kind }) => kind === 'User');
      expect(user).toMatchObject({ path: 'users', owner: ['$id', 'admin'], view: ['public'], generic: true });
      const props = user?.props as Json[];
      expect(props.slice(0, 4).map(({ name }) => String(name))).toEqual([
        'id',
        'createdAt',
        'updatedAt',
        'username',
      ]);
      expect(props.find(({ name }) => name === 'email')).toEqual({
        type: 'string',
        name: 'email',
        required: true,
        length: 256,
        unique: true,
        uniqueCaseInsensitive: true,
        format: 'an e-mail address',
        filterQuery: true,
        view: [],
        edit: ['owner'],
      });
      expect(stdout).not.toContain('passwordHash');
    });
  });
});

describe('the embedded database', () => {
  beforeAll(async () => {
    further = [];
    databaseUrl = '';
    dataDir = await mkdtemp(join(tmpdir(), 'kindred-cli-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('is used through the service that holds it, or else started and stopped; no other process is started', async () => {
    const noted = join(dataDir, 'processes');
    const env = {
      NODE_OPTIONS: '--import ./test/support/note-processes.mjs',
      NOTE_PROCESSES: noted,
    };
    const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
    let made: Ran;
    try {
      made = await asProcess(['user', 'create', 'eve', 'eve@mail.test', '--generate'], '', env);
      expect(made).toMatchObject({ code: 0 });
      expect(await asProcess(['apikey', 'create', 'eve', 'robot'], '', env)).toMatchObject({ code: 0 });
      expect(existsSync(noted)).toBe(false);
      expect(await sql(postgres.url, 'SELECT username FROM users')).toEqual([{ username: 'eve' }]);
    } finally {
      await postgres.stop();
    }
    const alone = await asProcess(['user', 'grant', 'eve', 'developer'], '', env);
    expect(alone.code).toBe(0);
    const started = (await readFile(noted, 'utf8')).trim().split('\n');
    expect(started.filter((line) => !/^\S*\/(?:postgres|initdb|pg_ctl) /.test(line))).toEqual([]);
    expect(started.join()).toContain('postgres -D');
    expect(JSON.parse(alone.stdout)).toEqual({
      id: (JSON.parse(made.stdout) as Json).id as string,
      username: 'eve',
      roles: ['developer'],
    });
    expect(existsSync(join(dataDir, 'kindred.lock'))).toBe(false);
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  it('of a copy, made while the original is in use, is the copy’s own: with its lock or without', async () => {
    const names = async (url: string) =>
      (await sql<{ username: string }>(url, 'SELECT username FROM users ORDER BY id')).map(
        ({ username }) => username,
      );
    const create = (name: string, folder: string) =>
      asProcess(['user', 'create', name, `${name}@mail.test`, '--generate'], '', { DATA_DIR: folder });
    const settings = { fsync: 'off' };
    const copies = ['locked', 'unlocked'].map((name) => ({ name, folder: `${dataDir}-${name}` }));
    const original = await startEmbeddedPostgres({ dataDir, settings });
    try {
      expect(await create('first', dataDir)).toMatchObject({ code: 0 });
      await sql(original.url, 'CHECKPOINT');
      for (const { name, folder } of copies) {
        await cp(dataDir, folder, { recursive: true });
        if (name === 'unlocked') await rm(join(folder, 'kindred.lock'));
        expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(true);
        expect(await create(name, folder)).toMatchObject({ code: 0 });
        const kept = await names(original.url);
        expect(kept).toContain('first');
        expect(kept).not.toContain(name);
        const copy = await startEmbeddedPostgres({ dataDir: folder, settings });
        try {
          expect(await names(copy.url)).toEqual([...kept, name]);
        } finally {
          await copy.stop();
        }
      }
      // It is still the one that serves its folder.
      expect(await create('second', dataDir)).toMatchObject({ code: 0 });
      expect(await names(original.url)).toContain('second');
    } finally {
      await original.stop();
      for (const { folder } of copies) await rm(folder, { recursive: true, force: true });
    }
  });
});
