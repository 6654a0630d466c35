/** What a statement does and to which table, as OpenTelemetry names it. */
export interface StatementName {
  /** `SELECT`, `INSERT` …; null where it is none of the usual. */
  readonly operation: string | null;
  readonly table: string | null;
  /** The span's name: both of them, or the statement's own name. */
  readonly summary: string;
}

const OPERATION = /^\s*(SELECT|INSERT|UPDATE|DELETE)\b/i;
const TABLE = /\b(?:FROM|INTO|UPDATE)\s+"?([A-Za-z_]\w*)"?/i;
/** Texts that are remembered; the engine has some hundreds. */
const MAX_KNOWN = 1000;

const known = new Map<string, StatementName>();

/** The name of a statement by its text, of which nothing else is kept. */
export function nameOf({ name, text }: { readonly name?: string; readonly text: string }): StatementName {
  const found = known.get(text);
  if (found) return found;
  const operation = OPERATION.exec(text)?.[1]?.toUpperCase() ?? null;
  const table = operation === null ? null : (TABLE.exec(text)?.[1] ?? null);
  const summary = [operation, table].filter((part) => part !== null).join(' ') || (name ?? 'statement');
  const made = { operation, table, summary };
  if (known.size < MAX_KNOWN) known.set(text, made);
  return made;
}
