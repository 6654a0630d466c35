import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { connect } from '../../src/database/connect.js';
import { lossesOfRevert, strangeMigrations } from '../../src/database/migrations.js';
import { buildIndex, dropIndex } from '../../src/database/build-index.js';
import {
  indexSource,
  migrationSource,
  withoutIndexes,
  writeNew,
} from '../../src/database/migration-source.js';
import '../../src/kinds/user/user.entity.js';
import '../../src/kinds/object-file/object-file.entity.js';
import { shapeOf, sql } from '../support/database.js';
import {
  useSampleDatabases,
  goal,
  planOf,
  databaseBefore,
  runStatements,
  dataSourceOf,
} from './sample-databases.js';

/* Migrations on a database that is in use or was changed by others, and the commands that write and run them. */

useSampleDatabases();

describe('indexes on a table that is in use', () => {
  it('are built by a migration of their own, outside of a transaction', async () => {
    const statements = [
      'DROP INDEX "ix_dummysamples_userId"',
      'ALTER TABLE dummysamples DROP price', // with its unique index
    ];
    const change = await planOf(await databaseBefore(statements));
    expect(change.indexes.map((one) => one.trim()).sort()).toEqual([
      expect.stringMatching(/^CREATE INDEX "ix_dummysamples_userId" ON "dummysamples" /),
      expect.stringMatching(/^CREATE UNIQUE INDEX "uq_dummysamples_price" ON "dummysamples" /),
    ]);
    const rest = withoutIndexes(change);
    expect(migrationSource('Rest', rest)).not.toMatch(/ INDEX /);
    const text = indexSource('Indexes', change);
    expect(text).toMatch(/readonly transaction = false;/);
    expect(text).toMatch(/await buildIndex\(runner, `CREATE UNIQUE INDEX "uq_dummysamples_price" ON /);
    expect(text).toMatch(/await dropIndex\(runner, `ix_dummysamples_userId`\);/);

    // One after the other they come to the same, and back.
    const url = await databaseBefore(statements);
    const shape = await shapeOf(url);
    await runStatements(url, rest.up);
    const dataSource = await dataSourceOf(url);
    try {
      const runner = dataSource.createQueryRunner();
      for (const statement of change.indexes) await buildIndex(runner, statement.trim());
      expect(await shapeOf(url)).toEqual(goal);
      for (const name of ['uq_dummysamples_price', 'ix_dummysamples_userId']) await dropIndex(runner, name);
      await runner.release();
    } finally {
      await dataSource.destroy();
    }
    await runStatements(url, rest.down);
    expect(await shapeOf(url)).toEqual(shape);
  });

  it('of a table that is new come with it', async () => {
    const change = await planOf(await databaseBefore(['DROP TABLE dummysamples']));
    expect(change.indexes).toEqual([]);
    expect(migrationSource('All', withoutIndexes(change))).toMatch(
      /CREATE UNIQUE INDEX "uq_dummysamples_price"/,
    );
  });
});

describe('a database that others changed', () => {
  it('indexes made by hand stay, and those of declarations that are gone go', async () => {
    const url = await databaseBefore([
      'CREATE INDEX by_hand ON dummysamples (price, rank)',
      'CREATE INDEX ix_dummysamples_fast ON dummysamples (rank)',
      'CREATE INDEX searched ON dummysamples USING gin (body gin_trgm_ops)',
      'CREATE INDEX lowered ON dummysamples (lower(note))',
      'CREATE INDEX ix_dummysamples_rank ON dummysamples (rank)',
    ]);
    const { up, down } = await planOf(url);
    expect(up).toEqual(['DROP INDEX "ix_dummysamples_rank"']);
    expect(down.join()).not.toContain('"public"');
  });

  it('migrations that this release does not know are told of at the start', async () => {
    const url = await databaseBefore([`INSERT INTO migrations (timestamp, name) VALUES (1, 'Newer1')`]);
    const dataSource = await dataSourceOf(url);
    try {
      expect(await strangeMigrations(dataSource)).toMatch(/does not know: Newer1\. .*older release/);
    } finally {
      await dataSource.destroy();
    }
    const lines: string[] = [];
    const started = await connect({ url, statementTimeoutMs: 0, progress: (line) => lines.push(line) });
    await started.destroy();
    expect(lines).toEqual([expect.stringContaining('does not know: Newer1')]);
  });

  it('what a revert loses is known before', async () => {
    const down = (...statements: string[]) => ({
      up: () => Promise.resolve(),
      down: async (runner: { query(text: string): Promise<unknown> }) => {
        for (const statement of statements) await runner.query(statement);
      },
    });
    const drops = ['ALTER TABLE "a" DROP COLUMN "b"', 'DROP TABLE "c"'];
    expect(await lossesOfRevert(down('DROP INDEX "i"', ...drops))).toEqual(drops);
    expect(await lossesOfRevert(down('ALTER TABLE "a" ADD "b" int'))).toEqual([]);
  });
});

describe('the commands', () => {
  /** A command of the build in an empty folder, where it would write its files. */
  function command(name: string, args: readonly string[], env: Record<string, string> = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'kindred-migrations-'));
    try {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [resolve('dist/src/cli', name), ...args],
        { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH, TMPDIR: tmpdir(), ...env } },
      );
      return { status, stdout, stderr, left: readdirSync(folder) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  it('migration:revert takes back what loses data only when told to', async () => {
    // The last one that has run is then one whose table goes.
    const url = await databaseBefore(['DELETE FROM migrations WHERE timestamp > 1795900000000']);
    const env = { DATABASE_URL: url, APP_SECRET: 'a'.repeat(40) };
    const shape = await shapeOf(url);
    const last = async () =>
      (await sql(url, 'SELECT name FROM migrations ORDER BY id DESC LIMIT 1'))[0]?.name;
    const name = await last();
    const { status, stdout, stderr } = command('migrate.js', ['revert'], env);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`Reverting ${String(name)} would lose data:\n- DROP TABLE `);
    expect(stderr).toMatch(/\nNothing was changed\. .* npm run migration:revert -- --allow-data-loss\n$/);
    expect(await last()).toBe(name);
    expect(await shapeOf(url)).toEqual(shape);

    const allowed = command('migrate.js', ['revert', '--allow-data-loss'], env);
    expect([allowed.stderr, allowed.status]).toEqual(['', 0]);
    expect(allowed.stdout).toContain(`Reverted: ${String(name)}\n`);
    expect(await last()).not.toBe(name);
  });

  it('migration:generate says what to run when only routes have changed', () => {
    const { status, stdout, stderr, left } = command('generate-migration.js', ['only-routes']);
    expect([status, stdout, left]).toEqual([1, '', []]);
    expect(stderr).toMatch(/Nothing to do: .*routes alone, npm run openapi and npm run client .*\.\n$/);
  });
});

describe('the files of a migration', () => {
  it('are written all or none, and none over another', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kindred-migrations-'));
    try {
      for (const mine of ['one', 'two']) {
        await writeFile(join(folder, `${mine}.ts`), 'mine');
        const write = writeNew(folder, [
          ['one', '1'],
          ['two', '2'],
        ]);
        await expect(write).rejects.toThrow(`${mine}.ts is there already, and nothing is overwritten`);
        expect(await readdir(folder)).toEqual([`${mine}.ts`]);
        expect(await readFile(join(folder, `${mine}.ts`), 'utf8')).toBe('mine');
        await rm(join(folder, `${mine}.ts`));
      }
      expect(await writeNew(folder, [['one', '1']])).toEqual([join(folder, 'one.ts')]);
      expect(await readFile(join(folder, 'one.ts'), 'utf8')).toBe('1');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
