import { VERSION_NAME } from '../common/api-path.js';
import { parseDate } from '../common/dates.js';
import { StartupError } from '../common/startup-error.js';

/** A deprecated version of the API, as API_DEPRECATED declares it. */
export interface ApiDeprecation {
  readonly version: string;
  /** Seconds since 1970. */
  readonly since: number;
  /** When it may be switched off, in seconds since 1970; null if that is not known. */
  readonly sunset: number | null;
  /** A page about the deprecation and the end of the version. */
  readonly link: string | null;
  readonly sunsetLink: string | null;
  /** The version to use instead. */
  readonly successor: string | null;
}

const EXAMPLE = 'v1; since=2026-01-31; sunset=2027-01-31; link=https://example.org/v1; successor=v2';
const PARAMETERS = new Set(['since', 'sunset', 'link', 'sunset-link', 'successor']);
/** Excludes characters that could end a link in a header field. */
const LINK = /^https?:\/\/[\x21\x23-\x3b\x3d\x3f-\x7e]+$/;

/** Parses API_DEPRECATED, a comma list of versions with parameters. Returns a text that says what is wrong, if it is. */
export function readDeprecated(text: string): readonly ApiDeprecation[] | string {
  const found: ApiDeprecation[] = [];
  try {
    for (const entry of text.split(',').filter((one) => one.trim() !== '')) {
      const read = entryOf(entry);
      if (found.some(({ version }) => version === read.version)) fail(`must name ${read.version} once`);
      found.push(read);
    }
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  return found;
}

class Fault extends Error {}

function fail(message: string): never {
  throw new Fault(message);
}

function entryOf(entry: string): ApiDeprecation {
  const [version = '', ...rest] = entry.split(';').map((part) => part.trim());
  if (!VERSION_NAME.test(version)) fail(`must be a list like "${EXAMPLE}"`);
  const given = new Map<string, string>();
  for (const part of rest.filter(Boolean)) {
    const [name = '', ...value] = part.split('=');
    if (!PARAMETERS.has(name)) fail(`must say no more of ${version} than ${[...PARAMETERS].join(', ')}`);
    if (given.has(name)) fail(`must say ${name} of ${version} once`);
    given.set(name, value.join('='));
  }
  const since =
    dateOf(version, 'since', given) ??
    fail(`must say since when ${version} is deprecated, like "${EXAMPLE}"`);
  const sunset = dateOf(version, 'sunset', given);
  if (sunset !== null && sunset < since)
    fail(`must not end ${version} (sunset) before it is deprecated (since)`);
  const successor = given.get('successor') ?? null;
  if (successor === version) fail(`must name another version than ${version} as its successor`);
  const [link, sunsetLink] = [linkOf(version, 'link', given), linkOf(version, 'sunset-link', given)];
  return { version, since, sunset, link, sunsetLink, successor };
}

function dateOf(version: string, name: string, given: ReadonlyMap<string, string>): number | null {
  const text = given.get(name);
  if (text === undefined) return null;
  const date = parseDate(text) ?? fail(`must have a date like 2026-01-31 as ${name} of ${version}`);
  return Math.floor(Date.parse(date) / 1000);
}

function linkOf(version: string, name: string, given: ReadonlyMap<string, string>): string | null {
  const text = given.get(name);
  if (text === undefined) return null;
  if (!LINK.test(text) || !URL.canParse(text))
    fail(`must have a URL like https://example.org/v1 as ${name} of ${version}`);
  return text;
}

/**
 * Checks the settings against the existing versions.
 * @throws StartupError with one line that names the variable and the fix
 */
export function checkVersions(
  config: { readonly apiVersion: string; readonly apiDeprecated: readonly ApiDeprecation[] },
  versions: readonly string[],
): void {
  const check = (variable: string, version: string | null) => {
    if (version === null || versions.includes(version)) return;
    throw new StartupError(
      `Wrong settings in the environment: ${variable} names ${version}, which is no version of the API; there ` +
        `${versions.length > 1 ? 'are' : 'is'} ${versions.join(', ')}. Fix it and restart.`,
    );
  };
  check('API_VERSION', config.apiVersion);
  for (const { version, successor } of config.apiDeprecated) {
    check('API_DEPRECATED', version);
    check('API_DEPRECATED', successor);
  }
}
