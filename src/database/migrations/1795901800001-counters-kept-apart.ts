import type { MigrationInterface, QueryRunner } from 'typeorm';

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
    // Only those may store counters, so that a restore of data alone does not add them to what it makes the triggers count.
    const counting = `${path} SET "kindred.counting" = 'on'`;

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

    // A transaction that sees the counters as they were at its beginning can't know which there are now.
    const now = (what: string) => `
        IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
          RAISE EXCEPTION '${what} can be counted in a READ COMMITTED transaction only' USING ERRCODE = '0A000';
        END IF;`;
    await runner.query(`CREATE OR REPLACE FUNCTION record_counts_clear() RETURNS trigger LANGUAGE plpgsql ${path} AS $$
      BEGIN ${now('TRUNCATE')}
        DELETE FROM record_counts WHERE "path" = TG_TABLE_NAME;
        RETURN NULL;
      END $$`);

    await runner.query(`CREATE OR REPLACE FUNCTION record_counts_begin(path text) RETURNS void LANGUAGE plpgsql ${counting} AS $$
      BEGIN ${now('All rows')}
        EXECUTE format('CREATE OR REPLACE TRIGGER record_counts_insert AFTER INSERT ON %I REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_counts_keep()', path);
        EXECUTE format('CREATE OR REPLACE TRIGGER record_counts_delete AFTER DELETE ON %I REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_counts_keep()', path);
        EXECUTE format('CREATE OR REPLACE TRIGGER record_counts_truncate AFTER TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION record_counts_clear()', path);
        -- The triggers' lock keeps writers out from here to the end of the transaction.
        DELETE FROM record_counts c WHERE c."path" = record_counts_begin.path;
        EXECUTE format('INSERT INTO record_counts SELECT %L, 0, n FROM (SELECT count(*) AS n FROM %I) AS counted WHERE n > 0', path, path);
      END $$`);
    await runner.query(`ALTER FUNCTION record_counts_end(text) ${path}`);

    // Adds the counters of connections that have ended to one. It waits for nobody, and is called alone.
    await runner.query(`CREATE FUNCTION record_counts_gather() RETURNS bigint LANGUAGE plpgsql ${counting} SET lock_timeout = '200ms' AS $$
      DECLARE
        gathered bigint;
      BEGIN
        IF NOT pg_try_advisory_xact_lock(7203001) THEN
          RETURN 0;
        END IF;
        WITH ended AS (
          SELECT c."path", c."backend" FROM record_counts c
          WHERE c."backend" <> 0 AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = c."backend")
          FOR UPDATE SKIP LOCKED
        ), taken AS (
          DELETE FROM record_counts c USING ended
          WHERE c."path" = ended."path" AND c."backend" = ended."backend" RETURNING c."path", c."rows"
        ), added AS (
          INSERT INTO record_counts SELECT "path", 0, sum("rows") FROM taken GROUP BY "path"
            ON CONFLICT ("path", "backend") DO UPDATE SET "rows" = record_counts."rows" + EXCLUDED."rows"
        )
        SELECT count(*) INTO gathered FROM taken;
        RETURN gathered;
      END $$`);

    // Counts, and adds what the counters lack. One statement sees rows and counters as of one moment, and what is written
    // meanwhile changes both alike, so nobody has to wait. Null when another one does it now.
    await runner.query(`CREATE FUNCTION record_counts_verify(path text) RETURNS bigint LANGUAGE plpgsql ${counting} AS $$
      #variable_conflict use_column
      DECLARE
        missing bigint;
      BEGIN ${now('All rows')}
        IF NOT pg_try_advisory_xact_lock(7203001) THEN
          RETURN NULL;
        END IF;
        EXECUTE format('SELECT (SELECT count(*) FROM %I) - (SELECT coalesce(sum("rows"), 0) FROM record_counts WHERE "path" = %L)', path, path)
          INTO missing;
        IF missing <> 0 THEN
          INSERT INTO record_counts VALUES (record_counts_verify.path, 0, missing)
            ON CONFLICT ("path", "backend") DO UPDATE SET "rows" = record_counts."rows" + EXCLUDED."rows";
        END IF;
        RETURN missing;
      END $$`);
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
