import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How many rows each kind has, kept by the transactions that change it: what a list without filters answers as its
 * total. By hand; docs/decisions/0009-totals-that-are-kept.md says why it is built so.
 */
export class RecordCounts1795833167205 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "record_counts" ("path" character varying(63) NOT NULL, "backend" integer NOT NULL, "rows" bigint NOT NULL, CONSTRAINT "PK_record_counts" PRIMARY KEY ("path", "backend")) WITH (fillfactor = 50)`,
    );
    // Every connection has a row of its own, so writers never wait for each other here. One that writes for the first
    // time takes over the rows of connections that have ended, so there are never many.
    await runner.query(`CREATE FUNCTION record_counts_keep() RETURNS trigger LANGUAGE plpgsql AS $$
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
        UPDATE "record_counts" SET "rows" = "rows" + change
          WHERE "path" = TG_TABLE_NAME AND "backend" = pg_backend_pid();
        IF NOT FOUND THEN
          WITH ended AS (
            SELECT c."backend" FROM "record_counts" c
            WHERE c."path" = TG_TABLE_NAME
              AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = c."backend")
            FOR UPDATE SKIP LOCKED
          ), taken AS (
            DELETE FROM "record_counts" c USING ended
            WHERE c."path" = TG_TABLE_NAME AND c."backend" = ended."backend" RETURNING c."rows"
          )
          INSERT INTO "record_counts"
            SELECT TG_TABLE_NAME, pg_backend_pid(), change + coalesce(sum("rows"), 0) FROM taken;
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`CREATE FUNCTION record_counts_clear() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM "record_counts" WHERE "path" = TG_TABLE_NAME;
        RETURN NULL;
      END $$`);
    // Also the way to count anew, should rows ever have changed with the triggers off.
    await runner.query(`CREATE FUNCTION record_counts_begin(path text) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        EXECUTE format('CREATE OR REPLACE TRIGGER record_counts_insert AFTER INSERT ON %I REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_counts_keep()', path);
        EXECUTE format('CREATE OR REPLACE TRIGGER record_counts_delete AFTER DELETE ON %I REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_counts_keep()', path);
        EXECUTE format('CREATE OR REPLACE TRIGGER record_counts_truncate AFTER TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION record_counts_clear()', path);
        -- The triggers' lock keeps writers out from here to the end of the transaction.
        DELETE FROM "record_counts" c WHERE c."path" = record_counts_begin.path;
        EXECUTE format('INSERT INTO "record_counts" SELECT %L, 0, count(*) FROM %I', path, path);
      END $$`);
    await runner.query(`CREATE FUNCTION record_counts_end(path text) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        EXECUTE format('DROP TRIGGER record_counts_insert ON %I', path);
        EXECUTE format('DROP TRIGGER record_counts_delete ON %I', path);
        EXECUTE format('DROP TRIGGER record_counts_truncate ON %I', path);
        DELETE FROM "record_counts" c WHERE c."path" = record_counts_end.path;
      END $$`);
    for (const path of ['users', 'apikeys', 'cronjobs', 'cronruns', 'objectfiles']) {
      await runner.query(`SELECT record_counts_begin('${path}')`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const path of ['users', 'apikeys', 'cronjobs', 'cronruns', 'objectfiles']) {
      await runner.query(`SELECT record_counts_end('${path}')`);
    }
    await runner.query('DROP FUNCTION record_counts_end(text)');
    await runner.query('DROP FUNCTION record_counts_begin(text)');
    await runner.query('DROP FUNCTION record_counts_clear()');
    await runner.query('DROP FUNCTION record_counts_keep()');
    await runner.query('DROP TABLE "record_counts"');
  }
}
