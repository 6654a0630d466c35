import { conflict, missing } from '../../common/errors.js';
import type { KindSql } from '../sql/kind-sql.js';

const NOT_NULL = '23502';
const RESTRICT = '23001';
const FOREIGN_KEY = '23503';
const UNIQUE = '23505';

/**
 * Turns a violated constraint into an error that names the prop and nothing else. Other errors stay as they are. Only the
 * database enforces uniqueness and existing parents, so this is the only place that reports them.
 * @param sql of the written kind; null for a deletion, which only other records can prevent
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
