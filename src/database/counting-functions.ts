import type { QueryRunner } from 'typeorm';

/** A transaction that sees the counters as they were at its beginning can't know which there are now. */
export const inReadCommitted = (what: string) => `
        IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
          RAISE EXCEPTION '${what} can be counted in a READ COMMITTED transaction only' USING ERRCODE = '0A000';
        END IF;`;

/**
 * The functions that store counters; no others may, so that a restore of data alone does not add them to what it makes the
 * triggers count. They say so by a setting for the time of their work: as an attribute of the function, only a superuser could
 * set it.
 * @param path the SQL that sets the search path of a function
 */
export async function createCountingFunctions(runner: QueryRunner, path: string): Promise<void> {
  await runner.query(`CREATE OR REPLACE FUNCTION record_counts_begin(path text) RETURNS void LANGUAGE plpgsql ${path} AS $$
    BEGIN ${inReadCommitted('All rows')}
      EXECUTE format('CREATE OR REPLACE TRIGGER record_counts_insert AFTER INSERT ON %I REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_counts_keep()', path);
      EXECUTE format('CREATE OR REPLACE TRIGGER record_counts_delete AFTER DELETE ON %I REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_counts_keep()', path);
      EXECUTE format('CREATE OR REPLACE TRIGGER record_counts_truncate AFTER TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION record_counts_clear()', path);
      PERFORM set_config('kindred.counting', 'on', true);
      -- The triggers' lock keeps writers out from here to the end of the transaction.
      DELETE FROM record_counts c WHERE c."path" = record_counts_begin.path;
      EXECUTE format('INSERT INTO record_counts SELECT %L, 0, n FROM (SELECT count(*) AS n FROM %I) AS counted WHERE n > 0', path, path);
      PERFORM set_config('kindred.counting', 'off', true);
    END $$`);

  // Adds the counters of connections that have ended to one. It waits for nobody, and is called alone.
  await runner.query(`CREATE OR REPLACE FUNCTION record_counts_gather() RETURNS bigint LANGUAGE plpgsql ${path} SET lock_timeout = '200ms' AS $$
    DECLARE
      gathered bigint;
    BEGIN
      IF NOT pg_try_advisory_xact_lock(7203001) THEN
        RETURN 0;
      END IF;
      PERFORM set_config('kindred.counting', 'on', true);
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
      PERFORM set_config('kindred.counting', 'off', true);
      RETURN gathered;
    END $$`);

  // Counts, and adds what the counters lack. One statement sees rows and counters as of one moment, and what is written
  // meanwhile changes both alike, so nobody has to wait. Null when another one does it now.
  await runner.query(`CREATE OR REPLACE FUNCTION record_counts_verify(path text) RETURNS bigint LANGUAGE plpgsql ${path} AS $$
    #variable_conflict use_column
    DECLARE
      missing bigint;
    BEGIN ${inReadCommitted('All rows')}
      IF NOT pg_try_advisory_xact_lock(7203001) THEN
        RETURN NULL;
      END IF;
      PERFORM set_config('kindred.counting', 'on', true);
      EXECUTE format('SELECT (SELECT count(*) FROM %I) - (SELECT coalesce(sum("rows"), 0) FROM record_counts WHERE "path" = %L)', path, path)
        INTO missing;
      IF missing <> 0 THEN
        INSERT INTO record_counts VALUES (record_counts_verify.path, 0, missing)
          ON CONFLICT ("path", "backend") DO UPDATE SET "rows" = record_counts."rows" + EXCLUDED."rows";
      END IF;
      PERFORM set_config('kindred.counting', 'off', true);
      RETURN missing;
    END $$`);
}
