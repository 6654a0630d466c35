import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ReceivedBytes1795958133363 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "objectfiles" ADD "receivedBytes" bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "objectfiles" DROP COLUMN "receivedBytes"`);
  }
}
