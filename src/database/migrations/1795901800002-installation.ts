import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is true of the whole installation, by name: so far the fingerprint of its APP_SECRET. */
export class Installation1795901800002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "installation" ("name" character varying(60) NOT NULL, "value" character varying(256) NOT NULL, CONSTRAINT "PK_installation" PRIMARY KEY ("name"))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "installation"');
  }
}
