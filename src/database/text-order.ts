import type { DataSource } from 'typeorm';
import { StartupError } from '../common/startup-error.js';
import { COLLATION } from '../record/schema/texts.js';

/*
 * The order of texts, the same on every PostgreSQL (docs/decisions/0015-texts.md). Each start checks it.
 */

/** The locale of the collation: Unicode's root. The catalogue's column was renamed in PostgreSQL 17. */
const ORDER = `SELECT collprovider = 'i' AND collisdeterministic
    AND coalesce(to_jsonb(c)->>'colllocale', to_jsonb(c)->>'colliculocale') = 'und' AS "isOurs",
    collversion AS recorded, pg_collation_actual_version(c.oid) AS actual
  FROM pg_collation c WHERE collname = '${COLLATION}' AND collnamespace = current_schema()::regnamespace`;

/** The indexes in that order. */
const INDEXES = `SELECT i.indexrelid::regclass::text AS name FROM pg_index i
  JOIN pg_collation c ON c.oid = ANY(i.indcollation::oid[])
  WHERE c.collname = '${COLLATION}' AND c.collnamespace = current_schema()::regnamespace`;

/**
 * Refuses a database that can't store the texts of kinds, before anything is created in it.
 * @throws StartupError with the fix
 */
export async function checkTexts(dataSource: DataSource): Promise<void> {
  const [found] = await dataSource.query<{ encoding: string; icu: boolean }[]>(
    `SELECT current_setting('server_encoding') AS encoding,
       EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i' AND collnamespace = 'pg_catalog'::regnamespace) AS icu`,
  );
  if (found?.encoding !== 'UTF8') {
    throw new StartupError(
      `The database has the encoding ${found?.encoding ?? 'of nobody'}, in which not every text can be stored: make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.`,
    );
  }
  if (!found.icu) {
    throw new StartupError(
      'This PostgreSQL was built without ICU, by which Kindred sorts texts: use one with it, as the packages of PostgreSQL have it.',
    );
  }
}

/**
 * Checks that the order of texts is the one that indexes were built with. Another version of ICU may sort differently and
 * search an index in the wrong place, so these indexes are rebuilt then.
 * @throws StartupError if the order is not ours or can't be fixed
 */
export async function keepOrder(dataSource: DataSource, progress: (line: string) => void): Promise<void> {
  const [order] =
    await dataSource.query<{ isOurs: boolean; recorded: string | null; actual: string | null }[]>(ORDER);
  if (!order?.isOurs) {
    throw new StartupError(
      `The collation "${COLLATION}" of the database is not the one that Kindred makes (ICU, "und", deterministic): drop it, and have the migrations make it.`,
    );
  }
  if (order.recorded === order.actual) return;
  const indexes = await dataSource.query<{ name: string }[]>(INDEXES);
  progress(
    `The order of texts has changed with ICU, from ${String(order.recorded)} to ${String(order.actual)}: rebuilding ${indexes.length} indexes …`,
  );
  for (const { name } of indexes) await dataSource.query(`REINDEX INDEX CONCURRENTLY ${name}`);
  await dataSource.query(`ALTER COLLATION "${COLLATION}" REFRESH VERSION`);
}
