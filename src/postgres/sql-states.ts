/** What the service makes of an SQLSTATE. */
export interface SqlStateRule {
  /** The error that a client gets: 503, 504 or, if the service itself is at fault, 500. */
  readonly error: 'unavailable' | 'tooSlow' | 'internal';
  /** Whether the connection is of no use any more. */
  readonly drop: boolean;
  /** Whether the statement itself was not accepted, so that another one of the same moment may be. */
  readonly refused: boolean;
}

/** A mistake of ours: the log has it. */
const FAULT: SqlStateRule = { error: 'internal', drop: false, refused: false };
/** The values or another record forbid it; what clients may be told of it, constraint-errors.ts has told before. */
const REFUSED: SqlStateRule = { error: 'internal', drop: false, refused: true };
/** Given up for another transaction's sake, and tried again some times already (retry.ts). */
const CONFLICT: SqlStateRule = { error: 'unavailable', drop: false, refused: true };
/** It can't now, and may later, on this connection too. */
const BUSY: SqlStateRule = { error: 'unavailable', drop: false, refused: false };
/** It can't now, and this connection never will again. */
const AWAY: SqlStateRule = { error: 'unavailable', drop: true, refused: false };
/** It took too long. */
const SLOW: SqlStateRule = { error: 'tooSlow', drop: false, refused: false };
const SLOW_AND_AWAY: SqlStateRule = { error: 'tooSlow', drop: true, refused: false };

/** Every class of PostgreSQL 18 (its manual, appendix A): the first two characters of a code. */
export const SQL_STATE_CLASSES: Readonly<Record<string, SqlStateRule>> = {
  '00': FAULT, // successful completion
  '01': FAULT, // warning
  '02': FAULT, // no data
  '03': FAULT, // statement not yet complete
  '08': AWAY, // connection exception
  '09': FAULT, // triggered action exception
  '0A': FAULT, // feature not supported; an outdated plan has been tried again before
  '0B': FAULT, // invalid transaction initiation
  '0F': FAULT, // locator exception
  '0L': FAULT, // invalid grantor
  '0P': FAULT, // invalid role specification
  '0Z': FAULT, // diagnostics exception
  '10': FAULT, // XQuery error
  '20': REFUSED, // case not found
  '21': REFUSED, // cardinality violation
  '22': REFUSED, // data exception
  '23': REFUSED, // integrity constraint violation
  '24': FAULT, // invalid cursor state
  '25': FAULT, // invalid transaction state
  '26': FAULT, // invalid statement name: a pooler between us; tried again before
  '27': REFUSED, // triggered data change violation
  '28': AWAY, // invalid authorization: the server does not let us in, or not any more
  '2B': FAULT, // dependent privileges
  '2D': FAULT, // invalid transaction termination
  '2F': REFUSED, // routine exception
  '34': FAULT, // invalid cursor name
  '38': FAULT, // external routine exception
  '39': FAULT, // external routine invocation exception
  '3B': FAULT, // savepoint exception
  '3D': AWAY, // invalid catalog name: the database is not there
  '3F': FAULT, // invalid schema name
  '40': CONFLICT, // transaction rollback: serialization, deadlock
  '42': FAULT, // syntax error or access rule violation
  '44': REFUSED, // WITH CHECK OPTION
  '53': BUSY, // insufficient resources: disk, memory, connections
  '54': REFUSED, // program limit exceeded
  '55': FAULT, // object not in prerequisite state
  '57': AWAY, // operator intervention
  '58': BUSY, // system error: the server's files or devices
  F0: FAULT, // configuration file error
  HV: FAULT, // foreign data wrapper
  P0: REFUSED, // PL/pgSQL
  XX: FAULT, // internal error, corrupted data
};

/** Codes that differ from their class. */
export const SQL_STATES: Readonly<Record<string, SqlStateRule>> = {
  '25006': AWAY, // read-only transaction: a standby after a failover, a database that is being moved
  '25P03': AWAY, // idle in transaction for too long: the server has ended the session
  '25P04': SLOW_AND_AWAY, // transaction timeout: the same
  '40002': REFUSED, // a constraint was found broken at the end
  '40003': AWAY, // nobody knows whether it is stored
  '55006': BUSY, // object in use
  '55P03': SLOW, // lock timeout
  '57000': BUSY, // operator intervention, no more than that
  '57014': SLOW, // statement timeout, or somebody cancelled it
  '58P01': FAULT, // a file is missing that an extension or a table needs
  '58P02': FAULT, // a file is there that must not be
  '58P03': FAULT, // file name too long
};

/** What the service makes of a code; null for what is no SQLSTATE of PostgreSQL's. */
export function ruleOf(code: string): SqlStateRule | null {
  if (!/^[0-9A-Z]{5}$/.test(code)) return null;
  return SQL_STATES[code] ?? SQL_STATE_CLASSES[code.slice(0, 2)] ?? null;
}
