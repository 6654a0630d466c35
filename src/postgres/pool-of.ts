import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

/**
 * The pool of connections that TypeORM has made, for what needs nothing of TypeORM. TypeORM declares the member but not as
 * a part of what a DataSource offers (test/foreign-internals.spec.ts).
 */
export const poolOf = (dataSource: DataSource): Pool => (dataSource.driver as PostgresDriver).master as Pool;
