import { BASE_PROPS } from './support/values.js';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import '../src/app.module.js';
import { connect } from '../src/database/connect.js';
import { loadMigrations, undoLast } from '../src/database/migrations.js';
import { pendingSchema } from '../src/database/pending-schema.js';
import { registeredKinds } from '../src/record/schema/kind.js';
import { foldedColumn } from '../src/record/schema/table.js';
import { disconnect, shapeOf, sql, urlOf } from './support/database.js';

/*
 * The committed migrations make what the built-in kinds declare. No test-only kind is loaded in this file.
 */

const server = process.env.TEST_DATABASE_URL ?? '';
const databases: string[] = [];
const open: DataSource[] = [];

async function emptyDatabase(): Promise<string> {
  const name = `schema_${randomBytes(6).toString('hex')}`;
  await sql(server, `CREATE DATABASE ${name}`);
  databases.push(name);
  return urlOf(name);
}

async function connected(url: string, progress: string[] = []): Promise<DataSource> {
  const options = { url, statementTimeoutMs: 60_000, progress: (line: string) => void progress.push(line) };
  const dataSource = await connect(options);
  open.push(dataSource);
  return dataSource;
}

let url = '';
let dataSource: DataSource;
let indexes: Map<string, string>;

beforeAll(async () => {
  url = await emptyDatabase();
  dataSource = await connected(url);
  const rows = await sql<{ indexname: string; indexdef: string }>(
    url,
    `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'`,
  );
  indexes = new Map(rows.map((row) => [row.indexname, row.indexdef.replaceAll('"', '')]));
});

afterAll(async () => {
  for (const one of open) if (one.isInitialized) await one.destroy();
  for (const name of databases) await sql(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
});

describe('the committed migrations', () => {
  it('make all that the kinds declare, and nothing is left to do', async () => {
    expect(registeredKinds().map((kind) => kind.kind)).toEqual(
      expect.arrayContaining(['User', 'APIKey', 'Session']),
    );
    expect(registeredKinds().map((kind) => kind.kind)).not.toContain('DummyThing');
    expect(await pendingSchema(dataSource)).toEqual({ up: [], down: [] });
  });

  it('notice what is missing or too much', async () => {
    const other = await emptyDatabase();
    const changed = await connected(other);
    await sql(other, 'DROP INDEX "tg_users_email"');
    const odd = `CREATE INDEX tg_apikeys_extra ON apikeys USING gin ("secretHash" gin_trgm_ops)`;
    await sql(other, odd);
    await sql(other, 'DROP INDEX "uq_users_username"');
    await sql(other, 'ALTER TABLE users DROP COLUMN "realName_search", DROP COLUMN "realName"');
    await sql(other, 'ALTER TABLE apikeys ALTER COLUMN name DROP NOT NULL');
    const { up, down } = await pendingSchema(changed);
    expect([up.filter((query) => /tg_apikeys_extra/.test(query)), down.at(-1)]).toEqual([
      ['DROP INDEX "tg_apikeys_extra"'],
      odd,
    ]);
    for (const part of [
      /tg_users_email/,
      /uq_users_username/,
      /ADD "realName"/,
      /apikeys.*"name" SET NOT NULL/,
    ]) {
      expect(up.filter((query) => part.test(query))).toHaveLength(1);
    }
  });

  it('run backwards to nothing and forwards again to the same', async () => {
    const other = await emptyDatabase();
    const again = await connected(other);
    const before = await shapeOf(other);
    const count = (await loadMigrations()).length;
    expect(count).toBeGreaterThan(0);
    for (let i = 0; i < count; i++) await undoLast(again);
    const left = await sql<{ name: string }>(
      other,
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    expect(left).toEqual([{ name: 'migrations' }]);
    expect(await sql(other, 'SELECT * FROM migrations')).toEqual([]);
    expect(await again.runMigrations()).toHaveLength(count);
    expect(await shapeOf(other)).toEqual(before);
    expect(await pendingSchema(again)).toEqual({ up: [], down: [] });
  });

  it('need no more than the ownership of the database, and neither do the counters of rows', async () => {
    const other = await emptyDatabase();
    const role = `owner_${randomBytes(6).toString('hex')}`;
    const name = new URL(other).pathname.slice(1);
    await sql(server, `CREATE ROLE ${role} LOGIN NOSUPERUSER PASSWORD 'plain'`);
    try {
      await sql(server, `ALTER DATABASE ${name} OWNER TO ${role}`);
      const own = new URL(other);
      [own.username, own.password] = [role, 'plain'];
      const plain = await connected(own.href);
      const counts = await plain.query<{ missing: string; gathered: string }[]>(
        `SELECT record_counts_verify('users') AS missing, record_counts_gather() AS gathered`,
      );
      expect(counts).toHaveLength(1);
      const set = `SELECT proname FROM pg_proc WHERE proconfig::text LIKE '%kindred%'`;
      expect(await plain.query(set)).toEqual([]);
      await plain.destroy();
      await disconnect(own.href);
    } finally {
      await sql(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await sql(server, `DROP ROLE ${role}`);
    }
  });

  it('run once when many instances start on an empty database at the same time', async () => {
    const other = await emptyDatabase();
    const lines: string[] = [];
    await Promise.all(Array.from({ length: 6 }, () => connected(other, lines)));
    expect(lines.filter((line) => line.startsWith('Migrated'))).toHaveLength(1);
    const names = (await loadMigrations()).map((migration) => migration.name);
    const done = await sql<{ name: string }>(other, 'SELECT name FROM migrations ORDER BY id');
    expect(done.map(({ name }) => name)).toEqual(names);
    expect(await shapeOf(other)).toEqual(await shapeOf(url));
  });

  it('are in order, one class a file, named after their time', async () => {
    const names = (await loadMigrations()).map((migration) => migration.name);
    const times = names.map((name) => Number(/\d{13}$/.exec(name)?.[0]));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.some(Number.isNaN)).toBe(false);
    expect(new Set(times).size).toBe(times.length);
  });
});

describe('texts', () => {
  const NFD = 'Jose\u0301';

  it('of an older database get one form and their order by the migration, and are found by search', async () => {
    const other = await emptyDatabase();
    const old = await connected(other);
    for (let last = ''; !/^OrderAndSearchOfTexts/.test(last);) {
      const [row] = await sql<{ name: string }>(
        other,
        'SELECT name FROM migrations ORDER BY id DESC LIMIT 1',
      );
      last = row?.name ?? 'none';
      await undoLast(old);
    }
    const insert = `INSERT INTO users (username, "usernameFolded", email, "emailFolded", "realName", "passwordHash")
      VALUES ($1, $1, $1, $1, $2, 'x')`;
    await sql(other, insert, ['a', NFD]);
    await sql(other, insert, ['b', '']);
    await old.runMigrations();
    const rows = await sql(
      other,
      `SELECT "realName", "realName_search" AS found FROM users ORDER BY username`,
    );
    expect(rows).toEqual([
      { realName: 'Jos\u00e9', found: 'jos\u00e9' },
      { realName: null, found: null },
    ]);
    expect(await shapeOf(other)).toEqual(await shapeOf(url));
    // Whatever writes, the folded form follows.
    await sql(other, `UPDATE users SET "realName" = 'STRAßE' WHERE username = 'b'`);
    const like = `SELECT username FROM users WHERE "realName_search" LIKE kindred_pattern($1)`;
    expect(await sql(other, like, ['Strasse'])).toEqual([{ username: 'b' }]);
    expect(await sql(other, like, ['%'])).toEqual([]);
  });

  it('all have the order of Kindred, and what is only compared has that of bytes', async () => {
    const rows = await sql<{ table: string; column: string; collation: string }>(
      url,
      `SELECT table_name AS "table", column_name AS "column", collation_name AS collation
       FROM information_schema.columns WHERE table_schema = 'public'`,
    );
    const collations = new Map(rows.map((row) => [`${row.table}.${row.column}`, row.collation]));
    for (const { path, props } of registeredKinds()) {
      for (const prop of props.filter(
        ({ type, writeOnly }) => ['string', 'enum'].includes(type) && !writeOnly,
      )) {
        expect([prop.name, collations.get(`${path}.${prop.name}`)]).toEqual([prop.name, 'kindred']);
        if (!prop.uniqueCaseInsensitive) continue;
        expect(collations.get(`${path}.${foldedColumn(prop.name)}`)).toBe('C');
      }
    }
  });

  it('have their indexes made anew, and that is said, when the server sorts by another version of ICU', async () => {
    const other = await emptyDatabase();
    await (await connected(other)).destroy();
    await sql(other, `CREATE UNIQUE INDEX uq_apikeys_name ON apikeys (name)`);
    const version = `SELECT collversion AS version FROM pg_collation WHERE collname = 'kindred'`;
    const [now] = await sql<{ version: string }>(other, version);
    await sql(other, `UPDATE pg_collation SET collversion = '1.1' WHERE collname = 'kindred'`);
    const file = `SELECT pg_relation_filenode('uq_apikeys_name') AS file`;
    const before = await sql(other, file);
    const lines: string[] = [];
    await connected(other, lines);
    const said = `The order of texts has changed with ICU, from 1.1 to ${now?.version ?? ''}: rebuilding`;
    expect(lines).toEqual([expect.stringMatching(/ rebuilding [1-9]\d* indexes …$/)]);
    expect(lines[0]?.startsWith(said)).toBe(true);
    expect(await sql(other, version)).toEqual([now]);
    expect(await sql(other, file)).not.toEqual(before);
    const quiet: string[] = [];
    await connected(other, quiet);
    expect(quiet).toEqual([]);
  });

  it('that can’t be stored, and an order that is another one, stop the start with a sentence', async () => {
    const name = `schema_${randomBytes(6).toString('hex')}`;
    await sql(
      server,
      `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc TEMPLATE template0`,
    );
    databases.push(name);
    await expect(connected(urlOf(name))).rejects.toThrow(
      /^The database has the encoding SQL_ASCII, .* CREATE DATABASE … ENCODING 'UTF8'/,
    );
    expect(await sql(urlOf(name), `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
    const other = await emptyDatabase();
    await (await connected(other)).destroy();
    await sql(other, `UPDATE pg_collation SET collisdeterministic = false WHERE collname = 'kindred'`);
    await expect(connected(other)).rejects.toThrow(/^The collation "kindred" of the database is not the one/);
  });
});

describe.each(registeredKinds().map((kind) => ({ name: kind.kind, kind })))(
  'the table of $name',
  ({ kind }) => {
    const columnsOf = (index: string) => /\((.*)\)/.exec(indexes.get(index) ?? '')?.[1];

    it('has an index for the default order', () => {
      expect(columnsOf(`ix_${kind.path}_createdAt`)).toBe('createdAt, id');
    });

    it('has a unique index for every unique rule', () => {
      for (const prop of kind.props.filter((one) => one.unique)) {
        const own = prop.uniqueCaseInsensitive ? foldedColumn(prop.name) : prop.name;
        const name = `uq_${kind.path}_${prop.name}`;
        expect([name, columnsOf(name)]).toEqual([name, [...(prop.uniqueQualifiers ?? []), own].join(', ')]);
        expect(indexes.get(name)).toMatch(/^CREATE UNIQUE INDEX/);
      }
    });

    it('has an index and a foreign key for every parent', async () => {
      for (const prop of kind.props) {
        if (prop.relation?.type !== 'parent') continue;
        const { onDelete, kind: target } = prop.relation;
        expect(columnsOf(`ix_${kind.path}_${prop.name}`)).toBe(`${prop.name}, createdAt, id`);
        const [key] = await sql<{ def: string }>(
          url,
          'SELECT pg_get_constraintdef(oid) AS def FROM pg_constraint WHERE conname = $1',
          [`fk_${kind.path}_${prop.name}`],
        );
        const table = registeredKinds().find((one) => one.kind === target)?.path ?? '';
        const rule = {
          cascade: 'ON DELETE CASCADE',
          restrict: 'ON DELETE RESTRICT',
          null: 'ON DELETE SET NULL',
        }[onDelete];
        expect(key?.def.replaceAll('"', '')).toBe(
          `FOREIGN KEY (${prop.name}) REFERENCES ${table}(id) ${rule}`,
        );
      }
    });

    it('has a trigram index for every prop that search compares', () => {
      for (const prop of kind.props.filter((one) => one.filterQuery)) {
        expect(indexes.get(`tg_${kind.path}_${prop.name}`)).toMatch(
          new RegExp(`USING gin \\("?${prop.name}_search"? gin_trgm_ops\\)`),
        );
      }
    });

    it('has a column for each stored prop, null where it is optional, and none for the others', async () => {
      const columns = await sql<{ name: string; type: string; length: number | null; nullable: string }>(
        url,
        `SELECT column_name AS name, data_type AS type, character_maximum_length AS length, is_nullable AS nullable
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`,
        [kind.path],
      );
      const byName = new Map(columns.map((column) => [column.name, column]));
      for (const prop of kind.props) {
        const column = byName.get(prop.name);
        if (prop.type === 'virtual' || prop.writeOnly) {
          expect([prop.name, column]).toEqual([prop.name, undefined]);
          continue;
        }
        const base = BASE_PROPS.includes(prop.name);
        expect([prop.name, column?.nullable]).toEqual([prop.name, prop.required || base ? 'NO' : 'YES']);
        if (prop.type === 'id' || prop.type === 'int') expect(column?.type).toBe('bigint');
        if (prop.type === 'date') expect(column?.type).toBe('timestamp with time zone');
        if (prop.type === 'string' && (prop.length ?? 0) <= 256) expect(column?.length).toBe(prop.length);
      }
    });
  },
);
