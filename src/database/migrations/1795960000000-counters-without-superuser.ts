import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createCountingFunctions } from '../counting-functions.js';

/**
 * The functions that store counters had an attribute that only a superuser can give them, so that no other owner of the
 * database could restore it from a dump.
 */
export class CountersWithoutSuperuser1795960000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [{ schema } = { schema: 'public' }] = (await runner.query(
      'SELECT quote_ident(current_schema()) AS schema',
    )) as { schema: string }[];
    await createCountingFunctions(runner, `SET search_path = ${schema}, pg_temp`);
  }

  /** The functions work for both versions. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}
