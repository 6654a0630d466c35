const words = (text) => new Set(text.trim().split(/\s+/));

/** What PostgreSQL takes for no column name unless it is quoted (pg_get_keywords: "reserved"); a test compares them. */
export const SQL_KEYWORDS = words(`
  all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column
  concurrently constraint create cross current_catalog current_date current_role current_schema current_time
  current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze from
  full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit localtime
  localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references returning
  right select session_user similar some symmetric system_user table tablesample then to trailing true union unique user
  using variadic verbose when where window with`);

/** The reserved words of ECMAScript modules (ECMA-262 §12.7.2), with `arguments` and `eval`. */
export const JS_KEYWORDS = words(`
  arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return
  static super switch this throw true try typeof var void while with yield`);
