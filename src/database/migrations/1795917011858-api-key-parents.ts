import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ApiKeyParents1795917011858 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "apikeys" ADD "parentKeyId" bigint`);
    await runner.query(
      `DO $guard$ DECLARE misfits bigint; BEGIN misfits := (SELECT count(*) FROM "apikeys" WHERE "parentKeyId" IS NOT NULL AND NOT EXISTS (SELECT FROM "apikeys" o WHERE o.id = "apikeys"."parentKeyId")); IF misfits > 0 THEN RAISE EXCEPTION USING MESSAGE = 'parentKeyId of apikeys must name records of apikeys; ' || misfits || ' are not so: SELECT id, "parentKeyId" FROM "apikeys" WHERE "parentKeyId" IS NOT NULL AND NOT EXISTS (SELECT FROM "apikeys" o WHERE o.id = "apikeys"."parentKeyId"); empty the column or delete the records before in this migration'; END IF; END $guard$`,
    );
    await runner.query(
      `ALTER TABLE "apikeys" ADD CONSTRAINT "fk_apikeys_parentKeyId" FOREIGN KEY ("parentKeyId") REFERENCES "apikeys"("id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "apikeys" DROP CONSTRAINT "fk_apikeys_parentKeyId"`);
    await runner.query(`ALTER TABLE "apikeys" DROP COLUMN "parentKeyId"`);
  }
}
