import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Writes down what has been so from the beginning, so that later migrations can tell what changes. Looks at no row. */
export class DeclaredRules1795903382684 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`COMMENT ON COLUMN "sessions"."type" IS '{"enums":["apiKey","password"]}'`);
    await runner.query(
      `COMMENT ON COLUMN "cronruns"."status" IS '{"enums":["queued","running","succeeded","failed"]}'`,
    );
    await runner.query(`COMMENT ON COLUMN "cronruns"."error" IS '{"length":2000}'`);
    await runner.query(`COMMENT ON COLUMN "cronjobs"."schedule" IS '{"format":"schedule"}'`);
    await runner.query(`COMMENT ON COLUMN "cronjobs"."timezone" IS '{"format":"timezone"}'`);
    await runner.query(`COMMENT ON COLUMN "cronjobs"."note" IS '{"length":65535}'`);
    await runner.query(`COMMENT ON COLUMN "objectfiles"."sizeInBytes" IS '{"min":1}'`);
    await runner.query(
      `COMMENT ON COLUMN "objectfiles"."status" IS '{"enums":["pending","ready","postProcessingFailed","verifyFailed"]}'`,
    );
    await runner.query(`COMMENT ON COLUMN "users"."username" IS '{"format":"username"}'`);
    await runner.query(`COMMENT ON COLUMN "users"."email" IS '{"format":"email"}'`);
    await runner.query(
      `COMMENT ON COLUMN "users"."useAsDisplayName" IS '{"enums":["username","email","realName"]}'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`COMMENT ON COLUMN "users"."useAsDisplayName" IS NULL`);
    await runner.query(`COMMENT ON COLUMN "users"."email" IS NULL`);
    await runner.query(`COMMENT ON COLUMN "users"."username" IS NULL`);
    await runner.query(`COMMENT ON COLUMN "objectfiles"."status" IS NULL`);
    await runner.query(`COMMENT ON COLUMN "objectfiles"."sizeInBytes" IS NULL`);
    await runner.query(`COMMENT ON COLUMN "cronjobs"."note" IS NULL`);
    await runner.query(`COMMENT ON COLUMN "cronjobs"."timezone" IS NULL`);
    await runner.query(`COMMENT ON COLUMN "cronjobs"."schedule" IS NULL`);
    await runner.query(`COMMENT ON COLUMN "cronruns"."error" IS NULL`);
    await runner.query(`COMMENT ON COLUMN "cronruns"."status" IS NULL`);
    await runner.query(`COMMENT ON COLUMN "sessions"."type" IS NULL`);
  }
}
