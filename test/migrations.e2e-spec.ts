import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { connect } from '../src/database/connect.js';
import { dataSourceOptions } from '../src/database/data-source-options.js';
import { pendingSchema } from '../src/database/pending-schema.js';
import { lossesOfRevert, strangeMigrations } from '../src/database/migrations.js';
import { buildIndex, dropIndex } from '../src/database/build-index.js';
import { indexSource, migrationSource, withoutIndexes, writeNew } from '../src/database/migration-source.js';
import { foldTexts, refuseMisfits } from '../src/database/row-work.js';
import { type MigrationPlan, planMigration, refuseLosses } from '../src/database/plan-migration.js';
import '../src/kinds/user/user.entity.js';
import '../src/kinds/object-file/object-file.entity.js';
import { Kind } from '../src/record/schema/kind.js';
import { Prop } from '../src/record/schema/prop.js';
import { RecordEntity } from '../src/record/record.entity.js';
import { disconnect, shapeOf, sql, urlOf } from './support/database.js';

/*
 * What `npm run migration:generate` writes: what it does to the rows that are there, up and down, and what it refuses.
 * The kind is declared as it is now; each case says in SQL how its table was before.
 */

const OWNERS = { view: ['owner'], edit: ['owner'] };

const isLower = (text: string) => text === text.toLowerCase();

/** Every sort of change happens to one of its props. */
@Kind({
  kind: 'DummySample',
  path: 'dummysamples',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
})
export class DummySample extends RecordEntity {
  @Prop.string({
    ...OWNERS,
    length: 120,
    unique: true,
    uniqueCaseInsensitive: true,
    filterQuery: true,
    renamedFrom: 'headline',
  })
  title!: string | null;

  @Prop.string({ ...OWNERS, length: 60, filterQuery: true, required: true, default: 'none' })
  note!: string;

  @Prop.string({ ...OWNERS, length: 5000 })
  body!: string | null;

  @Prop.int({ ...OWNERS, unique: true })
  price!: number | null;

  @Prop.int({ ...OWNERS, required: true })
  rank!: number;

  @Prop.enum({ ...OWNERS, enums: ['draft', 'live'], enumLabels: ['Draft', 'Live'] })
  state!: string | null;

  @Prop.int({ ...OWNERS, min: 2, max: 9 })
  level!: number | null;

  @Prop.string({ ...OWNERS, length: 300, minLength: 2, format: { rule: 'in lower case', test: isLower } })
  code!: string | null;

  @Prop.parent({ ...OWNERS, name: 'user', kind: 'User', onDelete: 'cascade', renamedFrom: 'makerId' })
  userId!: string | null;
}

const server = process.env.TEST_DATABASE_URL ?? '';
const BASE = `migrations_${randomBytes(6).toString('hex')}`;
const databases = [BASE];

const dataSourceOf = async (url: string) => new DataSource(await dataSourceOptions(url, 0)).initialize();

/** A database as it was before the declaration became what it is. */
async function before(statements: readonly string[]): Promise<string> {
  const name = `migrations_${randomBytes(6).toString('hex')}`;
  await sql(server, `CREATE DATABASE ${name} TEMPLATE ${BASE} STRATEGY FILE_COPY`);
  databases.push(name);
  for (const statement of statements) await sql(urlOf(name), statement);
  return urlOf(name);
}

/** What changes a searched column, whose folded form must go before and is made again. */
const included = (column: string, ...statements: string[]) => [
  `ALTER TABLE dummysamples DROP COLUMN ${column}_search`,
  ...statements,
  `ALTER TABLE dummysamples ADD ${column}_search text GENERATED ALWAYS AS (kindred_fold(${column})) STORED`,
  `CREATE INDEX tg_dummysamples_${column} ON dummysamples USING gin (${column}_search gin_trgm_ops)`,
];

/** Plans the migration of a database, which does it. */
async function plan(url: string): Promise<MigrationPlan> {
  const dataSource = await dataSourceOf(url);
  try {
    return await planMigration(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

const rows = (url: string, what: string) => sql(url, `SELECT ${what} FROM dummysamples ORDER BY id`);
const run = async (url: string, statements: readonly string[]) => {
  await sql(url, ['BEGIN', ...statements, 'COMMIT'].join(';\n'));
};

const AsyncFunction = (async () => {
  await Promise.resolve();
}).constructor as new (...parts: string[]) => (...values: unknown[]) => Promise<void>;

/** Does what a migration does whose source this is, in a transaction. */
async function runSource(url: string, text: string): Promise<void> {
  const [, body = ''] = /async up\(.*?\{\n([^]*?)\n {2}\}/.exec(text) ?? [];
  const dataSource = await dataSourceOf(url);
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    await new AsyncFunction('runner', 'foldTexts', 'refuseMisfits', body)(runner, foldTexts, refuseMisfits);
    await runner.commitTransaction();
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

/** The schema that the declarations ask for. */
let goal: unknown;

beforeAll(async () => {
  await sql(server, `CREATE DATABASE ${BASE}`);
  const dataSource = await connect({ url: urlOf(BASE), statementTimeoutMs: 0, progress: () => undefined });
  const { up } = await pendingSchema(dataSource);
  await run(urlOf(BASE), up);
  expect(await pendingSchema(dataSource)).toEqual({ up: [], down: [] });
  await dataSource.destroy();
  goal = await shapeOf(urlOf(BASE));
  await disconnect(urlOf(BASE));
});

afterAll(async () => {
  for (const name of databases) await sql(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
});

describe('changes that keep what is there', () => {
  it('renamed props, longer texts and what is no longer required, there and back', async () => {
    const url = await before([
      // A renamed prop that has become longer as well, with its indexes and its folded form.
      'ALTER TABLE dummysamples DROP COLUMN title_search',
      'ALTER TABLE dummysamples RENAME title TO headline',
      'ALTER TABLE dummysamples ALTER headline TYPE varchar(20) COLLATE kindred',
      'ALTER TABLE dummysamples ADD headline_search text GENERATED ALWAYS AS (kindred_fold(headline)) STORED',
      'CREATE INDEX tg_dummysamples_headline ON dummysamples USING gin (headline_search gin_trgm_ops)',
      'ALTER TABLE dummysamples RENAME "titleFolded" TO "headlineFolded"',
      'ALTER INDEX uq_dummysamples_title RENAME TO uq_dummysamples_headline',
      // A renamed parent, with its foreign key.
      'ALTER TABLE dummysamples RENAME "userId" TO "makerId"',
      'ALTER INDEX "ix_dummysamples_userId" RENAME TO "ix_dummysamples_makerId"',
      'ALTER TABLE dummysamples RENAME CONSTRAINT "fk_dummysamples_userId" TO "fk_dummysamples_makerId"',
      // Longer texts, one of which outgrows a varchar; and one that need not be there any more.
      ...included(
        'note',
        'ALTER TABLE dummysamples ALTER note TYPE varchar(10) COLLATE kindred, ALTER body TYPE varchar(100) COLLATE kindred, ALTER price SET NOT NULL',
      ),
    ]);
    const shape = await shapeOf(url);
    const text = 'x'.repeat(20);
    await sql(
      url,
      `INSERT INTO dummysamples (headline, "headlineFolded", "makerId", note, body, price, rank)
       VALUES ($1, $1, NULL, '0123456789', $2, 7, 1)`,
      [text, 'y'.repeat(100)],
    );
    const first = await sql(url, 'SELECT * FROM dummysamples');
    const { up, down, losses, demands } = await plan(url);
    expect([losses, demands]).toEqual([[], []]);
    const others = up.filter((statement) => !/_search"/.test(statement));
    expect(others.join('\n')).not.toMatch(/DROP (COLUMN|TABLE|INDEX|CONSTRAINT)| ADD /);
    for (const part of [
      /RENAME COLUMN "headline" TO "title"/,
      /RENAME CONSTRAINT "fk_dummysamples_makerId" TO "fk_dummysamples_userId"/,
      /"title" TYPE character varying\(120\) COLLATE "kindred"$/,
      /"note" TYPE character varying\(60\) COLLATE "kindred"$/,
      /"body" TYPE text COLLATE "kindred"$/,
      /"price" DROP NOT NULL/,
    ]) {
      expect([part, up.filter((statement) => part.test(statement))]).toEqual([part, [expect.anything()]]);
    }
    expect(await shapeOf(url)).toEqual(goal);
    expect(await rows(url, 'title, "titleFolded", note, length(body) AS body, price, "userId"')).toEqual([
      { title: text, titleFolded: text, note: '0123456789', body: 100, price: '7', userId: null },
    ]);

    await run(url, down);
    expect(await shapeOf(url)).toEqual(shape);
    expect(await sql(url, 'SELECT * FROM dummysamples')).toEqual(first);
  });

  it('a longer text is not cut on the way back: that fails', async () => {
    const url = await before(
      included('note', 'ALTER TABLE dummysamples ALTER note TYPE varchar(10) COLLATE kindred'),
    );
    const { down } = await plan(url);
    await sql(url, `INSERT INTO dummysamples (note, rank) VALUES ('longer than ten', 1)`);
    await expect(run(url, down)).rejects.toThrow(/too long/);
    expect(await rows(url, 'note')).toEqual([{ note: 'longer than ten' }]);
  });

  it('a prop that is required now gets its default where it has no value', async () => {
    const url = await before(['ALTER TABLE dummysamples ALTER note DROP NOT NULL']);
    await sql(url, `INSERT INTO dummysamples (note, rank) VALUES (NULL, 1), ('mine', 2)`);
    const { losses, demands } = await plan(url);
    expect([losses, demands]).toEqual([[], []]);
    expect(await rows(url, 'note')).toEqual([{ note: 'none' }, { note: 'mine' }]);
    expect(await shapeOf(url)).toEqual(goal);
  });
});

describe('texts of another time', () => {
  it('get the order of texts, one Unicode form, and none instead of an empty one, there and back', async () => {
    const url = await before([
      'DROP INDEX tg_dummysamples_note',
      'DROP INDEX tg_dummysamples_title',
      'ALTER TABLE dummysamples DROP COLUMN note_search, DROP COLUMN title_search',
      'ALTER TABLE dummysamples ALTER note TYPE varchar(60), ALTER body TYPE text, ALTER title TYPE varchar(120)',
      'ALTER TABLE dummysamples ALTER "titleFolded" TYPE varchar(240)',
      'CREATE INDEX tg_dummysamples_note ON dummysamples USING gin (note gin_trgm_ops)',
      'CREATE INDEX tg_dummysamples_title ON dummysamples USING gin (title gin_trgm_ops)',
    ]);
    const shape = await shapeOf(url);
    await sql(
      url,
      `INSERT INTO dummysamples (note, body, rank) VALUES ($1, '', 1), ('', $1, 2), ($2, NULL, 3)`,
      ['n\u0303', '\u0958'.repeat(60)], // whose NFC form is longer
    );
    const { down, losses, demands } = await plan(url);
    expect([losses, demands]).toEqual([[], []]);
    expect(await shapeOf(url)).toEqual(goal);
    expect(await rows(url, 'note, body')).toEqual([
      { note: '\u00f1', body: null },
      { note: '', body: '\u00f1' },
      { note: '\u0958'.repeat(60), body: null },
    ]);
    await run(url, down);
    expect(await shapeOf(url)).toEqual(shape);
  });
});

describe('changes that lose something', () => {
  it.each<[string, string[], string, string[], string]>([
    [
      'dropped props, another type, a shorter text, and a prop that was renamed without saying so',
      [
        'ALTER TABLE dummysamples ADD gone int, ADD "teamId" bigint NOT NULL DEFAULT 1 REFERENCES users(id)',
        'CREATE INDEX ON dummysamples (gone, id)',
        'CREATE INDEX ON dummysamples ("teamId")',
        ...included(
          'note',
          'ALTER TABLE dummysamples ALTER price TYPE varchar(20), ALTER note TYPE varchar(80) COLLATE kindred',
        ),
        'ALTER TABLE dummysamples RENAME body TO story',
        'ALTER TABLE dummysamples DISABLE TRIGGER ALL',
      ],
      `('${'z'.repeat(80)}', 1), ('short', 2)`,
      [
        'drops story of dummysamples',
        'drops gone of dummysamples',
        'drops teamId of dummysamples',
        'shortens note of dummysamples from 80 to 60 characters',
        'makes price of dummysamples anew as bigint, without its values',
      ],
      'z'.repeat(60),
    ],
    [
      'a text of any length that gets one',
      included('note', 'ALTER TABLE dummysamples ALTER note TYPE text COLLATE kindred'),
      `('${'z'.repeat(90)}', 1)`,
      ['shortens note of dummysamples from any length to 60 characters'],
      'z'.repeat(60),
    ],
    [
      'another type of what is searched, whose index is made again',
      [
        'ALTER TABLE dummysamples DROP COLUMN note_search',
        'ALTER TABLE dummysamples ALTER note DROP DEFAULT, ALTER note TYPE bigint USING 1',
      ],
      '(1, 1)',
      [
        `makes note of dummysamples anew as character varying(60) COLLATE "kindred" NOT NULL DEFAULT 'none', without its values`,
      ],
      'none',
    ],
  ])('%s', async (_name, statements, values, losses, note) => {
    const url = await before(statements);
    const shape = await shapeOf(url);
    await sql(url, `INSERT INTO dummysamples (note, rank) VALUES ${values}`);
    const change = await plan(url);
    expect([...change.losses].sort()).toEqual([...losses].sort());
    expect(() => refuseLosses(change)).toThrow(
      /^This migration would lose data:(\n- it .*)+\nNothing was written.*renamedFrom.*--allow-data-loss\.$/,
    );
    expect(await shapeOf(url)).toEqual(goal);
    expect((await rows(url, 'note'))[0]).toEqual({ note });
    await sql(url, 'DELETE FROM dummysamples');
    await run(url, change.down);
    expect(await shapeOf(url)).toEqual(shape);
  });

  it('are no reason to take a new prop for another name of the one column for search', async () => {
    const url = await before(['ALTER TABLE objectfiles DROP COLUMN metadata']);
    const shape = await shapeOf(url);
    const change = await plan(url);
    expect([change.up, change.losses]).toEqual([['ALTER TABLE "objectfiles" ADD "metadata" jsonb'], []]);
    const now = await shapeOf(url);
    expect(now).toEqual(expect.arrayContaining([expect.stringMatching(/^objectfiles: filename_search /)]));
    await run(url, change.down);
    expect(await shapeOf(url)).toEqual(shape);
  });

  it('are neither the table of a kind that is gone, which stays, nor what can be worked out again', async () => {
    const url = await before([
      'CREATE TABLE relics AS SELECT 1 AS id',
      'ALTER TABLE dummysamples ADD "noteFolded" varchar(120)',
    ]);
    const change = await plan(url);
    expect([change.up, change.losses]).toEqual([['ALTER TABLE "dummysamples" DROP COLUMN "noteFolded"'], []]);
    expect(() => refuseLosses(change)).not.toThrow();
    expect(await sql(url, 'SELECT * FROM relics')).toEqual([{ id: 1 }]);
  });
});

describe('a required prop without a default', () => {
  const WHERE: [string, string[], string, RegExp][] = [
    [
      'that is new',
      ['ALTER TABLE dummysamples DROP rank'],
      'DEFAULT VALUES',
      /dummysamples must have no records yet: rank is required and has no default/,
    ],
    [
      'that was optional',
      ['ALTER TABLE dummysamples ALTER rank DROP NOT NULL'],
      '(rank) VALUES (NULL)',
      /dummysamples must have no records without rank: rank is required and has no default/,
    ],
  ];

  it.each(WHERE)('%s is told of, fits an empty table, and leaves a filled one as it was', async (...args) => {
    const [, statements, row, sentence] = args;
    const empty = await before(statements);
    const { up, demands } = await plan(empty);
    expect(demands).toEqual([expect.stringMatching(sentence)]);
    expect(await shapeOf(empty)).toEqual(goal);

    const filled = await before(statements);
    const shape = await shapeOf(filled);
    await sql(filled, `INSERT INTO dummysamples ${row}`);
    await expect(run(filled, up)).rejects.toThrow(sentence);
    expect([await shapeOf(filled), await rows(filled, 'note')]).toEqual([shape, [{ note: 'none' }]]);
  });
});

describe('rules that rows may break', () => {
  const was = (column: string, rules: object | null) =>
    `COMMENT ON COLUMN dummysamples.${column} IS ${rules ? `'${JSON.stringify(rules)}'` : 'NULL'}`;
  const level = { min: 2, max: 9 };
  const code = { minLength: 2, length: 300, format: 'in lower case' };

  it.each<[string, string[], string, string, RegExp]>([
    [
      'an enum value that is gone',
      [was('state', { enums: ['draft', 'live', 'gone'] })],
      `(rank, state) VALUES (1, 'gone'), (1, 'gone'), (1, 'live'), (1, NULL)`,
      `state NOT IN ('draft', 'live')`,
      /state of dummysamples must be one of draft, live; 2 are not so: (SELECT [^;]*);/,
    ],
    [
      'a larger min',
      [was('level', { ...level, min: 1 })],
      '(rank, level) VALUES (1, 1), (1, 2)',
      'level < 2',
      /level of dummysamples must be 2 or more; 1 are not so: (SELECT [^;]*);/,
    ],
    [
      'a smaller max',
      [was('level', { min: 2 })],
      '(rank, level) VALUES (1, 10), (1, 9)',
      'level > 9',
      /level of dummysamples must be 9 or less; 1 are not so: (SELECT [^;]*);/,
    ],
    [
      'a larger minLength',
      [was('code', { ...code, minLength: 1 })],
      `(rank, code) VALUES (1, 'x'), (1, 'xx')`,
      'length(code) < 2',
      /code of dummysamples must have at least 2 characters; 1 are not so: (SELECT [^;]*);/,
    ],
    [
      'a smaller length',
      [was('code', { ...code, length: 400 })],
      `(rank, code) VALUES (1, repeat('x', 301)), (1, 'xx')`,
      'length(code) > 300',
      /code of dummysamples must have at most 300 characters; 1 are not so: (SELECT [^;]*);/,
    ],
    [
      'another format',
      [was('code', { ...code, format: 'in capitals' })],
      `(rank, code) VALUES (1, 'XX'), (1, 'xx')`,
      `code = 'XX'`,
      /code of dummysamples must be in lower case; 1 are not so: (SELECT [^;]*);/,
    ],
    [
      'a new unique rule',
      ['DROP INDEX uq_dummysamples_price'],
      '(rank, price) VALUES (1, 7), (1, 7), (1, 7), (1, 8), (1, NULL), (1, NULL)',
      'price = 7',
      /dummysamples must have each price once: it is unique now; 3 are not so: (SELECT [^;]*);/,
    ],
    [
      'a relation that names nothing',
      ['ALTER TABLE dummysamples DROP CONSTRAINT "fk_dummysamples_userId"'],
      '(rank, "userId") VALUES (1, 4711), (1, NULL)',
      '"userId" = 4711',
      /userId of dummysamples must name records of users; 1 are not so: (SELECT [^;]*);/,
    ],
  ])('%s: told of, stops the migration with the rows, and passes when they are fixed', async (...args) => {
    const [, statements, row, misfit, sentence] = args;
    const told = await plan(await before(statements));
    expect([told.demands.length, told.losses]).toEqual([1, []]);
    const text = migrationSource('Rules', told);

    const filled = await before(statements);
    await sql(filled, `INSERT INTO dummysamples ${row}`);
    const first = await sql(filled, 'SELECT * FROM dummysamples');
    const fault = await runSource(filled, text).then(() => 'done', String);
    expect(fault).toMatch(sentence);
    const [, find = ''] = sentence.exec(fault) ?? [];
    expect((await sql(filled, find)).length).toBeGreaterThan(0);
    expect(await sql(filled, 'SELECT * FROM dummysamples')).toEqual(first);

    await sql(filled, `DELETE FROM dummysamples WHERE ${misfit}`);
    await runSource(filled, text);
    expect(await shapeOf(filled)).toEqual(goal);
    expect((await plan(filled)).up).toEqual([]);
    await run(filled, told.down);
  });

  it('rules that have become wider ask for nothing', async () => {
    const url = await before([was('level', { min: 3, max: 4 }), was('state', { enums: ['live'] })]);
    await sql(url, `INSERT INTO dummysamples (rank, level, state) VALUES (1, 3, 'live')`);
    const { demands, losses, up } = await plan(url);
    expect([demands, losses, up.length]).toEqual([[], [], 2]);
  });

  it('a required prop is added to a filled table as the migration says: add, fill, then NOT NULL', async () => {
    const statements = ['ALTER TABLE dummysamples DROP rank'];
    const text = migrationSource('Rank', await plan(await before(statements)));
    const filled = await before(statements);
    await sql(filled, 'INSERT INTO dummysamples DEFAULT VALUES');
    await expect(runSource(filled, text)).rejects.toThrow(
      /1 are not so: SELECT id FROM "dummysamples" WHERE "rank" IS NULL; fill it where/,
    );
    const [, advice = ''] = /\/\/ To keep the records that there are, fill rank here: (.*)/.exec(text) ?? [];
    await runSource(filled, text.replace(/\/\/ To keep the records.*/, advice.replace('…', '5')));
    expect([await shapeOf(filled), await rows(filled, 'rank')]).toEqual([goal, [{ rank: '5' }]]);
  });

  it('texts that are unique in every case now get their folded forms', async () => {
    const statements = ['ALTER TABLE dummysamples DROP "titleFolded"'];
    const text = migrationSource('Fold', await plan(await before(statements)));
    const filled = await before(statements);
    await sql(
      filled,
      `INSERT INTO dummysamples (rank, title) VALUES (1, 'Straße'), (1, NULL), (1, 'STRASSE')`,
    );
    await expect(runSource(filled, text)).rejects.toThrow(/2 are not so/);
    await sql(filled, `DELETE FROM dummysamples WHERE title = 'STRASSE'`);
    await runSource(filled, text);
    expect([await shapeOf(filled), await rows(filled, '"titleFolded"')]).toEqual([
      goal,
      [{ titleFolded: 'strasse' }, { titleFolded: null }],
    ]);
  });
});

describe('indexes on a table that is in use', () => {
  it('are built by a migration of their own, outside of a transaction', async () => {
    const statements = [
      'DROP INDEX "ix_dummysamples_userId"',
      'ALTER TABLE dummysamples DROP price', // with its unique index
    ];
    const change = await plan(await before(statements));
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
    const url = await before(statements);
    const shape = await shapeOf(url);
    await run(url, rest.up);
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
    await run(url, rest.down);
    expect(await shapeOf(url)).toEqual(shape);
  });

  it('of a table that is new come with it', async () => {
    const change = await plan(await before(['DROP TABLE dummysamples']));
    expect(change.indexes).toEqual([]);
    expect(migrationSource('All', withoutIndexes(change))).toMatch(
      /CREATE UNIQUE INDEX "uq_dummysamples_price"/,
    );
  });
});

describe('what others have done to a database', () => {
  it('indexes made by hand stay, and those of declarations that are gone go', async () => {
    const url = await before([
      'CREATE INDEX by_hand ON dummysamples (price, rank)',
      'CREATE INDEX ix_dummysamples_fast ON dummysamples (rank)',
      'CREATE INDEX searched ON dummysamples USING gin (body gin_trgm_ops)',
      'CREATE INDEX lowered ON dummysamples (lower(note))',
      'CREATE INDEX ix_dummysamples_rank ON dummysamples (rank)',
    ]);
    const { up, down } = await plan(url);
    expect(up).toEqual(['DROP INDEX "ix_dummysamples_rank"']);
    expect(down.join()).not.toContain('"public"');
  });

  it('migrations that this release does not know are told of at the start', async () => {
    const url = await before([`INSERT INTO migrations (timestamp, name) VALUES (1, 'Newer1')`]);
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
    const url = await before(['DELETE FROM migrations WHERE timestamp > 1795900000000']);
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
