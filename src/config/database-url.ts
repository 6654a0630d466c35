import { parse } from 'pg-connection-string';

/**
 * What is wrong with a PostgreSQL connection URL, as the end of a sentence; null if nothing is. Does not repeat the URL,
 * which contains a password. Reads the files that it names for TLS (`sslrootcert`, `sslcert`, `sslkey`).
 */
export function databaseUrlFault(text: string): string | null {
  if (!/^postgres(ql)?:\/\//.test(text)) return EXAMPLE;
  if (/^[a-z]+:\/\/(?:[^/?#]*@)?[^/?#@]*,/.test(text)) {
    return 'must name one host: for several of them set it to a proxy or an address that follows the primary';
  }
  if (!URL.canParse(text)) return EXAMPLE;
  const { pathname } = new URL(text);
  if (pathname === '' || pathname === '/')
    return `must name a database, as in ${EXAMPLE.slice(EXAMPLE.indexOf('postgres://'))}`;
  try {
    decodeURIComponent(pathname);
    parse(text);
    return null;
  } catch (error) {
    const file = typeof error === 'object' && error !== null && 'path' in error ? String(error.path) : null;
    return file === null ? EXAMPLE : `must name files that can be read, and ${JSON.stringify(file)} can’t be`;
  }
}

const EXAMPLE = 'must be a URL like postgres://user:password@host:5432/database';
