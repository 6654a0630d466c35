import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createCountingFunctions, inReadCommitted } from '../counting-functions.js';

/**
 * The counters of rows no longer depend on who asks and when: their functions find their table whatever the search path
 * is, writers touch no counter but their own, and what can't be counted rightly is refused. By hand;
 * docs/decisions/0009-totals-that-are-kept.md says why it is built so.
 */
export class CountersKeptApart1795901800001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [{ schema } = { schema: 'public' }] = (await runner.query(
      'SELECT quote_ident(current_schema()) AS schema',
    )) as { schema: string }[];
    const path = `SET search_path = ${schema}, pg_temp`;

    await runner.query(`CREATE OR REPLACE FUNCTION record_counts_keep() RETURNS trigger LANGUAGE plpgsql ${path} AS $$
      DECLARE
        change bigint;
      BEGIN
        SELECT count(*) INTO change FROM changed;
        IF change = 0 THEN
          RETURN NULL;
        END IF;
        IF TG_OP = 'DELETE' THEN
          change := -change;
        END IF;
        UPDATE record_counts SET "rows" = "rows" + change
          WHERE "path" = TG_TABLE_NAME AND "backend" = pg_backend_pid();
        IF NOT FOUND THEN
          INSERT INTO record_counts VALUES (TG_TABLE_NAME, pg_backend_pid(), change)
            ON CONFLICT ("path", "backend") DO UPDATE SET "rows" = record_counts."rows" + EXCLUDED."rows";
        END IF;
        RETURN NULL;
      END $$`);

    await runner.query(`CREATE FUNCTION record_counts_own() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF pg_trigger_depth() > 1 OR current_setting('kindred.counting', true) = 'on' THEN
          RETURN NEW;
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(
      'CREATE TRIGGER record_counts_own BEFORE INSERT ON "record_counts" FOR EACH ROW EXECUTE FUNCTION record_counts_own()',
    );

    await runner.query(`CREATE OR REPLACE FUNCTION record_counts_clear() RETURNS trigger LANGUAGE plpgsql ${path} AS $$
      BEGIN ${inReadCommitted('TRUNCATE')}
        DELETE FROM record_counts WHERE "path" = TG_TABLE_NAME;
        RETURN NULL;
      END $$`);

    await createCountingFunctions(runner, path);
    await runner.query(`ALTER FUNCTION record_counts_end(text) ${path}`);

    await runner.query('DELETE FROM "record_counts" WHERE "rows" = 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION record_counts_verify(text)');
    await runner.query('DROP FUNCTION record_counts_gather()');
    await runner.query('DROP TRIGGER record_counts_own ON "record_counts"');
    await runner.query('DROP FUNCTION record_counts_own()');
    for (const name of ['keep()', 'clear()', 'begin(text)', 'end(text)']) {
      await runner.query(`ALTER FUNCTION record_counts_${name} RESET ALL`);
    }
  }
}
