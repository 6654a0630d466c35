import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Records that are deleted but have too much below them to go in one transaction. By hand, as it is no kind:
 * src/record/write/removals.ts works it off.
 */
export class RecordRemovals1795900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "record_removals" ("path" character varying(63) NOT NULL, "id" bigint NOT NULL, "startedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT now(), "removed" bigint NOT NULL DEFAULT 0, CONSTRAINT "PK_record_removals" PRIMARY KEY ("path", "id"))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "record_removals"`);
  }
}
