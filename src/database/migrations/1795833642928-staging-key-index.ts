import type { MigrationInterface, QueryRunner } from 'typeorm';

export class StagingKeyIndex1795833642928 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "ix_objectfiles_stagingKey" ON "objectfiles"  ("stagingKey") WHERE "stagingKey" IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."ix_objectfiles_stagingKey"`);
  }
}
