import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

/**
 * TypeORM's pool of connections, for statements that do not need TypeORM. TypeORM declares this member, but not as part of
 * its public API (test/foreign-internals.spec.ts).
 */
export const poolOf = (dataSource: DataSource): Pool => (dataSource.driver as PostgresDriver).master as Pool;
