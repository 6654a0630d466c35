import { conflict, missing } from '../../common/errors.js';
import type { KindSql } from '../sql/kind-sql.js';

const NOT_NULL = '23502';
const RESTRICT = '23001';
const FOREIGN_KEY = '23503';
const UNIQUE = '23505';

/**
 * PostgreSQL's refusal of a write → the error that names the prop and nothing else; every other error as it is.
 * @param sql of the kind that was written; null for a deletion, which only other records can refuse
 * Uniqueness and existing parents are enforced by the database alone, so this is where they are told.
 */
export function constraintError(error: unknown, sql: KindSql | null): unknown {
  if (typeof error !== 'object' || error === null || !('code' in error)) return error;
  const constraint = 'constraint' in error ? String(error.constraint) : '';
  const prop = sql?.propOfConstraint(constraint) ?? null;
  if (error.code === UNIQUE && prop) return conflict(`${prop} is taken; choose another.`, prop);
  if (error.code === UNIQUE && sql?.hasConstraint(constraint))
    return conflict('A value that this version of the API does not show is taken already.');
  if (error.code === FOREIGN_KEY || error.code === RESTRICT) {
    if (prop) return conflict(`The record that ${prop} names is gone.`, prop);
    return conflict('Other records still depend on this one; delete them first.');
  }
  const empty = error.code === NOT_NULL && 'column' in error && sql?.propOfColumn(String(error.column));
  if (empty) return missing(empty);
  return error;
}
