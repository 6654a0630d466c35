import type { TestService } from './service.js';

/** Statements as PostgreSQL counts them, by their normalised text. */
export interface StatementCount {
  readonly query: string;
  readonly calls: number;
  readonly rows: number;
}

/** The view is the whole server's, on which other tests run meanwhile. */
const HERE = '(SELECT oid FROM pg_database WHERE datname = current_database())';

/** Begins to count the statements of a service's database anew, and of no other. */
export async function resetStatements(service: TestService): Promise<void> {
  await service.sql(`SELECT pg_stat_statements_reset(0, ${HERE}, 0)`);
}

/** What has run in a service's database since, but for looks like this one. */
export function statementCounts(service: TestService): Promise<StatementCount[]> {
  return service.sql(
    `SELECT query, calls::int AS calls, rows::int AS rows FROM pg_stat_statements
     WHERE dbid = ${HERE} AND query NOT LIKE '%pg_stat_statements%' ORDER BY query`,
  );
}
