import '../../src/kinds/user/user.entity.js';
import '../../src/kinds/object-file/object-file.entity.js';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { connect } from '../../src/database/connect.js';
import { pendingSchema } from '../../src/database/pending-schema.js';
import { disconnect, shapeOf, sql, urlOf } from '../support/database.js';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/database/data-source-options.js';
import { type MigrationPlan, planMigration } from '../../src/database/plan-migration.js';
import { Kind } from '../../src/record/schema/kind.js';
import { Prop } from '../../src/record/schema/prop.js';
import { RecordEntity } from '../../src/record/record.entity.js';

/* One kind as it is declared now, and databases whose table is as it was before. */

const OWNERS = { view: ['owner'], edit: ['owner'] };

const isLower = (text: string) => text === text.toLowerCase();

/** Every sort of change happens to one of its props. */
@Kind({
  kind: 'DummySample',
  path: 'dummysamples',
  owner: ['$userId', 'admin'],
  view: ['public'],
  create: ['owner'],
})
export class DummySample extends RecordEntity {
  @Prop.string({
    ...OWNERS,
    length: 120,
    unique: true,
    uniqueCaseInsensitive: true,
    filterQuery: true,
    renamedFrom: 'headline',
  })
  title!: string | null;

  @Prop.string({ ...OWNERS, length: 60, filterQuery: true, required: true, default: 'none' })
  note!: string;

  @Prop.string({ ...OWNERS, length: 5000 })
  body!: string | null;

  @Prop.int({ ...OWNERS, unique: true })
  price!: number | null;

  @Prop.int({ ...OWNERS, required: true })
  rank!: number;

  @Prop.enum({ ...OWNERS, enums: ['draft', 'live'], enumLabels: ['Draft', 'Live'] })
  state!: string | null;

  @Prop.int({ ...OWNERS, min: 2, max: 9 })
  level!: number | null;

  @Prop.string({ ...OWNERS, length: 300, minLength: 2, format: { rule: 'in lower case', test: isLower } })
  code!: string | null;

  @Prop.parent({ ...OWNERS, name: 'user', kind: 'User', onDelete: 'cascade', renamedFrom: 'makerId' })
  userId!: string | null;
}

/** The URL of the test server. */
export const SERVER = process.env.TEST_DATABASE_URL ?? '';
/** The database that the others are copies of. */
export const TEMPLATE = `migrations_${randomBytes(6).toString('hex')}`;
/** All databases of a file, to drop at its end. */
export const DATABASES = [TEMPLATE];

/** Connects TypeORM to a database. */
export const dataSourceOf = async (url: string) =>
  new DataSource(await dataSourceOptions(url, 0)).initialize();

/** A database as it was before the declaration became what it is. */
export async function databaseBefore(statements: readonly string[]): Promise<string> {
  const name = `migrations_${randomBytes(6).toString('hex')}`;
  await sql(SERVER, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`);
  DATABASES.push(name);
  for (const statement of statements) await sql(urlOf(name), statement);
  return urlOf(name);
}

/** What changes a searched column, whose folded form must go before and is made again. */
export const changeSearched = (column: string, ...statements: string[]) => [
  `ALTER TABLE dummysamples DROP COLUMN ${column}_search`,
  ...statements,
  `ALTER TABLE dummysamples ADD ${column}_search text GENERATED ALWAYS AS (kindred_fold(${column})) STORED`,
  `CREATE INDEX tg_dummysamples_${column} ON dummysamples USING gin (${column}_search gin_trgm_ops)`,
];

/** Plans the migration of a database, which does it. */
export async function planOf(url: string): Promise<MigrationPlan> {
  const dataSource = await dataSourceOf(url);
  try {
    return await planMigration(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/** What all samples have. */
export const sampleRows = (url: string, what: string) =>
  sql(url, `SELECT ${what} FROM dummysamples ORDER BY id`);
/** Runs statements in one transaction. */
export const runStatements = async (url: string, statements: readonly string[]) => {
  await sql(url, ['BEGIN', ...statements, 'COMMIT'].join(';\n'));
};

/** The schema that the declarations ask for. */
export let goal: unknown;

/** Makes the database that {@link databaseBefore} copies, and drops all of them after the tests of a file. */
export function useSampleDatabases(): void {
  beforeAll(async () => {
    await sql(SERVER, `CREATE DATABASE ${TEMPLATE}`);
    const dataSource = await connect({
      url: urlOf(TEMPLATE),
      statementTimeoutMs: 0,
      progress: () => undefined,
    });
    const { up } = await pendingSchema(dataSource);
    await runStatements(urlOf(TEMPLATE), up);
    expect(await pendingSchema(dataSource)).toEqual({ up: [], down: [] });
    await dataSource.destroy();
    goal = await shapeOf(urlOf(TEMPLATE));
    await disconnect(urlOf(TEMPLATE));
  });

  afterAll(async () => {
    for (const name of DATABASES) await sql(SERVER, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
}
