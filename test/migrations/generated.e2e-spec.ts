import { describe, expect, it } from '@jest/globals';
import { migrationSource } from '../../src/database/migration-source.js';
import { foldTexts, refuseMisfits } from '../../src/database/row-work.js';
import { refuseLosses } from '../../src/database/plan-migration.js';
import '../../src/kinds/user/user.entity.js';
import '../../src/kinds/object-file/object-file.entity.js';
import { shapeOf, sql } from '../support/database.js';
import {
  useSampleDatabases,
  goal,
  databaseBefore,
  changeSearched,
  planOf,
  sampleRows,
  runStatements,
  dataSourceOf,
} from './sample-databases.js';

/* The migrations that Kindred writes from the difference between declarations and tables, run on tables with rows. */

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

useSampleDatabases();

describe('changes that keep what is there', () => {
  it('renamed props, longer texts and props that are no longer required keep their rows, up and down', async () => {
    const url = await databaseBefore([
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
      ...changeSearched(
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
    const { up, down, losses, demands } = await planOf(url);
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
    expect(
      await sampleRows(url, 'title, "titleFolded", note, length(body) AS body, price, "userId"'),
    ).toEqual([{ title: text, titleFolded: text, note: '0123456789', body: 100, price: '7', userId: null }]);

    await runStatements(url, down);
    expect(await shapeOf(url)).toEqual(shape);
    expect(await sql(url, 'SELECT * FROM dummysamples')).toEqual(first);
  });

  it('a revert fails rather than cut a longer text', async () => {
    const url = await databaseBefore(
      changeSearched('note', 'ALTER TABLE dummysamples ALTER note TYPE varchar(10) COLLATE kindred'),
    );
    const { down } = await planOf(url);
    await sql(url, `INSERT INTO dummysamples (note, rank) VALUES ('longer than ten', 1)`);
    await expect(runStatements(url, down)).rejects.toThrow(/too long/);
    expect(await sampleRows(url, 'note')).toEqual([{ note: 'longer than ten' }]);
  });

  it('a prop that is required now gets its default where it has no value', async () => {
    const url = await databaseBefore(['ALTER TABLE dummysamples ALTER note DROP NOT NULL']);
    await sql(url, `INSERT INTO dummysamples (note, rank) VALUES (NULL, 1), ('mine', 2)`);
    const { losses, demands } = await planOf(url);
    expect([losses, demands]).toEqual([[], []]);
    expect(await sampleRows(url, 'note')).toEqual([{ note: 'none' }, { note: 'mine' }]);
    expect(await shapeOf(url)).toEqual(goal);
  });
});

describe('texts from before a rule', () => {
  it('get one order, one Unicode form, and null instead of an empty text, up and down', async () => {
    const url = await databaseBefore([
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
    const { down, losses, demands } = await planOf(url);
    expect([losses, demands]).toEqual([[], []]);
    expect(await shapeOf(url)).toEqual(goal);
    expect(await sampleRows(url, 'note, body')).toEqual([
      { note: '\u00f1', body: null },
      { note: '', body: '\u00f1' },
      { note: '\u0958'.repeat(60), body: null },
    ]);
    await runStatements(url, down);
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
        ...changeSearched(
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
        'recreates price of dummysamples as bigint, without its values',
      ],
      'z'.repeat(60),
    ],
    [
      'a text of any length that gets one',
      changeSearched('note', 'ALTER TABLE dummysamples ALTER note TYPE text COLLATE kindred'),
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
        `recreates note of dummysamples as character varying(60) COLLATE "kindred" NOT NULL DEFAULT 'none', without its values`,
      ],
      'none',
    ],
  ])('%s', async (_name, statements, values, losses, note) => {
    const url = await databaseBefore(statements);
    const shape = await shapeOf(url);
    await sql(url, `INSERT INTO dummysamples (note, rank) VALUES ${values}`);
    const change = await planOf(url);
    expect([...change.losses].sort()).toEqual([...losses].sort());
    expect(() => refuseLosses(change)).toThrow(
      /^This migration would lose data:(\n- it .*)+\nNothing was written.*renamedFrom.*--allow-data-loss\.$/,
    );
    expect(await shapeOf(url)).toEqual(goal);
    expect((await sampleRows(url, 'note'))[0]).toEqual({ note });
    await sql(url, 'DELETE FROM dummysamples');
    await runStatements(url, change.down);
    expect(await shapeOf(url)).toEqual(shape);
  });

  it('are no reason to take a new prop for another name of the one column for search', async () => {
    const url = await databaseBefore(['ALTER TABLE objectfiles DROP COLUMN metadata']);
    const shape = await shapeOf(url);
    const change = await planOf(url);
    expect([change.up, change.losses]).toEqual([['ALTER TABLE "objectfiles" ADD "metadata" jsonb'], []]);
    const now = await shapeOf(url);
    expect(now).toEqual(expect.arrayContaining([expect.stringMatching(/^objectfiles: filename_search /)]));
    await runStatements(url, change.down);
    expect(await shapeOf(url)).toEqual(shape);
  });

  it('are neither the table of a kind that is gone, which stays, nor what can be worked out again', async () => {
    const url = await databaseBefore([
      'CREATE TABLE relics AS SELECT 1 AS id',
      'ALTER TABLE dummysamples ADD "noteFolded" varchar(120)',
    ]);
    const change = await planOf(url);
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
    const empty = await databaseBefore(statements);
    const { up, demands } = await planOf(empty);
    expect(demands).toEqual([expect.stringMatching(sentence)]);
    expect(await shapeOf(empty)).toEqual(goal);

    const filled = await databaseBefore(statements);
    const shape = await shapeOf(filled);
    await sql(filled, `INSERT INTO dummysamples ${row}`);
    await expect(runStatements(filled, up)).rejects.toThrow(sentence);
    expect([await shapeOf(filled), await sampleRows(filled, 'note')]).toEqual([shape, [{ note: 'none' }]]);
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
    const told = await planOf(await databaseBefore(statements));
    expect([told.demands.length, told.losses]).toEqual([1, []]);
    const text = migrationSource('Rules', told);

    const filled = await databaseBefore(statements);
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
    expect((await planOf(filled)).up).toEqual([]);
    await runStatements(filled, told.down);
  });

  it('rules that have become wider ask for nothing', async () => {
    const url = await databaseBefore([was('level', { min: 3, max: 4 }), was('state', { enums: ['live'] })]);
    await sql(url, `INSERT INTO dummysamples (rank, level, state) VALUES (1, 3, 'live')`);
    const { demands, losses, up } = await planOf(url);
    expect([demands, losses, up.length]).toEqual([[], [], 2]);
  });

  it('a required prop is added to a filled table as the migration says: add, fill, then NOT NULL', async () => {
    const statements = ['ALTER TABLE dummysamples DROP rank'];
    const text = migrationSource('Rank', await planOf(await databaseBefore(statements)));
    expect(text).toContain('(`DO $guard$');
    const filled = await databaseBefore(statements);
    await sql(filled, 'INSERT INTO dummysamples DEFAULT VALUES');
    await expect(runSource(filled, text)).rejects.toThrow(
      /1 are not so: SELECT id FROM "dummysamples" WHERE "rank" IS NULL; fill it where/,
    );
    const [, advice = ''] = /\/\/ To keep the records that there are, fill rank here: (.*)/.exec(text) ?? [];
    await runSource(filled, text.replace(/\/\/ To keep the records.*/, advice.replace('…', '5')));
    expect([await shapeOf(filled), await sampleRows(filled, 'rank')]).toEqual([goal, [{ rank: '5' }]]);
  });

  it('a prop that is added goes again without a word on its rules', async () => {
    const { up, down } = await planOf(await databaseBefore(['ALTER TABLE dummysamples DROP level']));
    const on = (statements: readonly string[]) => statements.filter((one) => one.includes('"level"'));
    expect(on(up)).toContainEqual(expect.stringMatching(/^COMMENT ON COLUMN /));
    expect(on(down)).toEqual(['ALTER TABLE "dummysamples" DROP COLUMN "level"']);
  });

  it('are written as texts that say the same, with the escapes that they need alone', async () => {
    const statement = 'SELECT $a$ \\ `b` $${c} \\${d} $a$';
    const nothing = { down: [], losses: [], demands: [], before: new Map(), atEnd: [], indexes: [] };
    const text = migrationSource('Texts', { ...nothing, up: [statement] });
    expect(text).toContain('(`SELECT $a$ \\\\ \\`b\\` $\\${c} \\\\\\${d} $a$`)');
    const [, literal = ''] = /runner\.query\((.*)\);/.exec(text) ?? [];
    const seen: unknown[] = [];
    await new AsyncFunction('seen', `seen.push(${literal})`)(seen);
    expect(seen).toEqual([statement]);
  });

  it('texts that are unique in every case now get their folded forms', async () => {
    const statements = ['ALTER TABLE dummysamples DROP "titleFolded"'];
    const text = migrationSource('Fold', await planOf(await databaseBefore(statements)));
    const filled = await databaseBefore(statements);
    await sql(
      filled,
      `INSERT INTO dummysamples (rank, title) VALUES (1, 'Straße'), (1, NULL), (1, 'STRASSE')`,
    );
    await expect(runSource(filled, text)).rejects.toThrow(/2 are not so/);
    await sql(filled, `DELETE FROM dummysamples WHERE title = 'STRASSE'`);
    await runSource(filled, text);
    expect([await shapeOf(filled), await sampleRows(filled, '"titleFolded"')]).toEqual([
      goal,
      [{ titleFolded: 'strasse' }, { titleFolded: null }],
    ]);
  });
});
