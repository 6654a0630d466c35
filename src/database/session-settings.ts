/*
 * The settings of every session with PostgreSQL. Dates travel as text (pg-values.ts), so time zone and style are ours,
 * whatever the role or the URL says.
 */
const OURS = '-c TimeZone=UTC -c DateStyle=ISO';

/** Connection settings for pg: `options` in the URL (a search path, say) are kept, ours come after them and win. */
export function sessionSettings(url: string, more = ''): { connectionString: string; options: string } {
  const parsed = new URL(url);
  const given = parsed.searchParams.get('options') ?? '';
  // pg lets options of the URL replace those beside it.
  parsed.searchParams.delete('options');
  return { connectionString: parsed.href, options: [given, OURS, more].filter(Boolean).join(' ') };
}
