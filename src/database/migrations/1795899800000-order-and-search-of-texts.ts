import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Table → text column → its type. */
const TEXTS = {
  apikeys: { name: 'character varying(60)' },
  sessions: { type: 'character varying(256)' },
  cronruns: { status: 'character varying(256)', error: 'text' },
  cronjobs: {
    schedule: 'character varying(60)',
    timezone: 'character varying(60)',
    handler: 'character varying(60)',
    note: 'text',
  },
  objectfiles: {
    filename: 'character varying(256)',
    contentType: 'character varying(256)',
    extension: 'character varying(32)',
    status: 'character varying(256)',
  },
  users: {
    username: 'character varying(60)',
    email: 'character varying(256)',
    realName: 'character varying(60)',
    useAsDisplayName: 'character varying(256)',
  },
};
/** The folded texts of unique ones, which are compared for equality alone. */
const FOLDED = { users: { usernameFolded: 'character varying(120)', emailFolded: 'character varying(512)' } };
/** Table → columns that search compares. */
const SEARCHED = { apikeys: ['name'], objectfiles: ['filename'], users: ['username', 'email', 'realName'] };
/** Texts that people write, and in which another form than NFC may stand. */
const WRITTEN = [
  ['apikeys', 'name', 60],
  ['cronjobs', 'note', null],
  ['objectfiles', 'filename', 256],
  ['users', 'username', 60],
  ['users', 'email', 256],
  ['users', 'realName', 60],
] as const;
/** Those of them that may be missing: an empty one is. */
const OPTIONAL = [
  ['cronjobs', 'note'],
  ['users', 'realName'],
] as const;

/**
 * One order for all texts, one form in which they are stored, and a folded one in which search compares them.
 * By hand; docs/decisions/0015-texts.md says why it is as it is.
 */
export class OrderAndSearchOfTexts1795899800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE COLLATION "kindred" (provider = icu, locale = 'und', deterministic = true)`);
    // Up and down again joins what lower-casing alone keeps apart (ß and ss); a sigma is a final one only until the text
    // goes on. Of ASCII nothing but lower case is left. Bodies that are bound when they are made need no search path.
    await runner.query(`CREATE FUNCTION kindred_fold(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      RETURN CASE WHEN octet_length($1) = char_length($1) THEN lower($1 COLLATE "C") COLLATE "C"
        ELSE translate(normalize(lower(upper(lower(normalize($1, NFKC) COLLATE "kindred"))), NFKC), 'ς', 'σ') COLLATE "C"
      END`);
    await runner.query(`CREATE FUNCTION kindred_pattern(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      RETURN '%' || replace(replace(replace(kindred_fold($1), '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%'`);
    // TypeORM asks it about every generated column that it meets.
    await runner.query(
      `CREATE TABLE "typeorm_metadata" ("type" character varying NOT NULL, "database" character varying, "schema" character varying, "table" character varying, "name" character varying, "value" text)`,
    );

    for (const [table, column, length] of WRITTEN) {
      const form = `normalize("${column}", NFC)`;
      const fits = length === null ? '' : ` AND char_length(${form}) <= ${length}`;
      await runner.query(
        `UPDATE "${table}" SET "${column}" = ${form} WHERE "${column}" IS NOT NFC NORMALIZED${fits}`,
      );
    }
    for (const [table, column] of OPTIONAL) {
      await runner.query(`UPDATE "${table}" SET "${column}" = NULL WHERE "${column}" = ''`);
    }
    for (const [table, columns] of Object.entries(SEARCHED)) {
      for (const column of columns) await runner.query(`DROP INDEX "tg_${table}_${column}"`);
    }
    for (const [table, columns] of Object.entries(TEXTS)) await collate(runner, table, columns, 'kindred');
    for (const [table, columns] of Object.entries(FOLDED)) await collate(runner, table, columns, 'C');
    for (const [table, columns] of Object.entries(SEARCHED)) {
      const adds = columns.map(
        (column) => `ADD "${column}_search" text GENERATED ALWAYS AS (kindred_fold("${column}")) STORED`,
      );
      await runner.query(`ALTER TABLE "${table}" ${adds.join(', ')}`);
      for (const column of columns) {
        await runner.query(
          `CREATE INDEX "tg_${table}_${column}" ON "${table}" USING gin ("${column}_search" gin_trgm_ops)`,
        );
      }
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, columns] of Object.entries(SEARCHED)) {
      const drops = columns.map((column) => `DROP COLUMN "${column}_search"`);
      await runner.query(`ALTER TABLE "${table}" ${drops.join(', ')}`);
    }
    for (const [table, columns] of Object.entries(FOLDED)) await collate(runner, table, columns, 'default');
    for (const [table, columns] of Object.entries(TEXTS)) await collate(runner, table, columns, 'default');
    for (const [table, columns] of Object.entries(SEARCHED)) {
      for (const column of columns) {
        await runner.query(
          `CREATE INDEX "tg_${table}_${column}" ON "${table}" USING gin ("${column}" gin_trgm_ops)`,
        );
      }
    }
    await runner.query('DROP TABLE "typeorm_metadata"');
    await runner.query('DROP FUNCTION kindred_pattern(text)');
    await runner.query('DROP FUNCTION kindred_fold(text)');
    await runner.query('DROP COLLATION "kindred"');
  }
}

/** In one statement for a table; indexes of the columns are made anew, rows are not. */
async function collate(
  runner: QueryRunner,
  table: string,
  columns: Readonly<Record<string, string>>,
  collation: string,
): Promise<void> {
  const changes = Object.entries(columns).map(
    ([column, type]) => `ALTER COLUMN "${column}" TYPE ${type} COLLATE "${collation}"`,
  );
  await runner.query(`ALTER TABLE "${table}" ${changes.join(', ')}`);
}
