/** The operation and the table of a statement, by OpenTelemetry's conventions. */
export interface StatementName {
  /** `SELECT`, `INSERT` …; null for unusual ones. */
  readonly operation: string | null;
  readonly table: string | null;
  /** The span's name: both of them, or the statement's own name. */
  readonly summary: string;
}

/** A statement; `table` is the main one, of several. */
interface NamedStatement {
  readonly name?: string;
  readonly text: string;
  readonly table?: string;
}

const OPERATION = /^\s*(SELECT|INSERT|UPDATE|DELETE)\b/i;
const TABLE = /\b(?:FROM|INTO|UPDATE)\s+"?([A-Za-z_]\w*)"?/i;
/** The size of the cache; the engine has some hundreds of texts. */
const MAX_KNOWN = 1000;

const known = new Map<string, StatementName>();

/** The name of a statement: from its table, if it names one, and its text. Nothing else of the text is used. */
export function nameOf({ name, text, table: main }: NamedStatement): StatementName {
  const found = known.get(text);
  if (found) return found;
  const operation = OPERATION.exec(text)?.[1]?.toUpperCase() ?? null;
  const table = operation === null ? null : (main ?? TABLE.exec(text)?.[1] ?? null);
  const summary = [operation, table].filter((part) => part !== null).join(' ') || (name ?? 'statement');
  const made = { operation, table, summary };
  if (known.size < MAX_KNOWN) known.set(text, made);
  return made;
}
