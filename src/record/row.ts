/**
 * A row as the engine reads it: column → value, which in all but later versions of a kind is prop name → value, with bigint and date as text (ids decimal, dates
 * `YYYY-MM-DDTHH:MM:SS.mmmZ`) and jsonb parsed; beside the props, the owner columns of farther parents under the
 * keys of their rules (kind-graph.ts).
 */
export type Row = Readonly<Record<string, unknown>>;
