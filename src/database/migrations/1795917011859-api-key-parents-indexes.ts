import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, dropIndex } from '../build-index.js';

/** Not one transaction, so that the tables can be written while their indexes are built. */
export class ApiKeyParentsIndexes1795917011859 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, `CREATE INDEX "ix_apikeys_parentKeyId" ON "apikeys"  ("parentKeyId")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, `ix_apikeys_parentKeyId`);
  }
}
