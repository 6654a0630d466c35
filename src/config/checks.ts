import { isIP } from 'node:net';
import { IsBoolean, IsInt, Matches, Max, Min, ValidateBy, type ValidationArguments } from 'class-validator';
import { databaseUrlFault } from './database-url.js';

/** Values that checks of other values need. */
interface Whole {
  port?: unknown;
  host?: unknown;
  metricsHost?: unknown;
  nodeEnv?: unknown;
  sessionIdleSeconds?: unknown;
  maxFileBytes?: unknown;
  s3Endpoint?: unknown;
  corsOrigins?: unknown;
}

const whole = (args: ValidationArguments | undefined): Whole => args?.object ?? {};

const check = (
  name: string,
  message: string,
  validate: (value: unknown, all: Whole) => boolean,
): PropertyDecorator =>
  ValidateBy({ name, validator: { validate: (value, args) => validate(value, whole(args)) } }, { message });

/** An IPv4 or IPv6 address, or a network in CIDR notation (RFC 4632, RFC 4291 §2.3). */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** A web origin in its one serialised form (RFC 6454 §6.2): scheme, host, port if not the default; nothing after. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol } = new URL(text);
  return origin === text && (protocol === 'https:' || protocol === 'http:');
}

/** APP_SECRET: 32 characters or more; may only be empty where one can be generated. */
export const IsAppSecret = (): PropertyDecorator =>
  check(
    'isAppSecret',
    'must be a random text of 32 characters or more, and is required when NODE_ENV is production',
    (value, all) =>
      typeof value === 'string' && (value === '' ? all.nodeEnv !== 'production' : value.length >= 32),
  );

/** SESSION_ABSOLUTE_SECONDS: a session can't idle for longer than it lives. */
export const NotBelowIdle = (): PropertyDecorator =>
  check('notBelowIdle', 'must not be below SESSION_IDLE_SECONDS', (value, all) => {
    const idle = all.sessionIdleSeconds;
    return typeof value !== 'number' || typeof idle !== 'number' || value >= idle;
  });

/** Limits of many files: at least one must fit. */
export const NotBelowFile = (): PropertyDecorator =>
  check('notBelowFile', 'must not be below MAX_FILE_BYTES', (value, all) => {
    const max = all.maxFileBytes;
    return typeof value !== 'number' || typeof max !== 'number' || value >= max;
  });

/** Whether a port can't be used on both addresses at once; names are not looked up. */
const overlap = (one: string, other: string): boolean => {
  const addresses = [one, other].map((host) => (host === 'localhost' ? '127.0.0.1' : host));
  if (addresses.includes('::') || addresses[0] === addresses[1]) return true;
  return addresses.includes('0.0.0.0') && !addresses.some((address) => isIP(address) === 6);
};

/** METRICS_PORT: not the port that the service takes on the same address. */
export const NotThePort = (): PropertyDecorator =>
  check('notThePort', 'must be a port of its own, other than PORT', (value, { port, host, metricsHost }) => {
    return value === 0 || value !== port || !overlap(String(host), String(metricsHost));
  });

/** TRUST_PROXY: see {@link Variable} on the property. */
export const IsTrustProxy = (): PropertyDecorator =>
  check(
    'isTrustProxy',
    'must be false, true, a number of proxies, or a comma list of IP addresses and networks like 10.0.0.0/8',
    (value) =>
      typeof value === 'boolean' ||
      typeof value === 'number' ||
      (Array.isArray(value) && value.length > 0 && value.every((entry) => isNetwork(String(entry)))),
  );

/** CORS_ORIGINS: exact origins only; a wildcard together with cookies would open the service to every site. */
export const AreOrigins = (): PropertyDecorator =>
  check(
    'areOrigins',
    'must be a comma list of exact origins like https://app.example.org, without path, slash at the end or *',
    (value) => Array.isArray(value) && value.every((entry) => isOrigin(String(entry))),
  );

/** COOKIE_SAME_SITE: `none` opens the cookies to other sites, so there must be one that may use them. */
export const IsSameSite = (): PropertyDecorator =>
  check('isSameSite', 'must be lax, or none where CORS_ORIGINS is set', (value, { corsOrigins }) => {
    if (value === 'lax') return true;
    return value === 'none' && Array.isArray(corsOrigins) && corsOrigins.length > 0;
  });

/** PUBLIC_URL, S3_ENDPOINT: empty, or scheme, host and port alone. */
export const IsOriginOrEmpty = (): PropertyDecorator =>
  check(
    'isOriginOrEmpty',
    'must be an address like https://files.example.org, without path or slash at the end',
    (value) => typeof value === 'string' && (value === '' || isOrigin(value)),
  );

/** OTEL_EXPORTER_OTLP_ENDPOINT: empty, or where a collector is. */
export const IsHttpUrlOrEmpty = (): PropertyDecorator =>
  check(
    'isHttpUrlOrEmpty',
    'must be a URL like http://collector:4318',
    (value) =>
      typeof value === 'string' && (value === '' || (/^https?:\/\//.test(value) && URL.canParse(value))),
  );

/** S3_ACCESS_KEY, S3_SECRET_KEY: there is no storage without credentials. */
export const NeededForS3 = (): PropertyDecorator =>
  check(
    'neededForS3',
    'must be set when S3_ENDPOINT is',
    (value, all) => typeof value === 'string' && (value !== '' || all.s3Endpoint === ''),
  );

/** DATABASE_URL: empty, or a PostgreSQL connection URL that can be used as it is. */
export const IsDatabaseUrl = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isDatabaseUrl',
      validator: { validate: (value) => value === '' || databaseUrlFault(String(value)) === null },
    },
    { message: ({ value }: ValidationArguments) => databaseUrlFault(String(value)) ?? '' },
  );

/** API_DEPRECATED: what could not be read is the sentence that says why (api-deprecated.ts). */
export const IsDeprecated = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isDeprecated', validator: { validate: (value) => Array.isArray(value) } },
    { message: ({ value }: ValidationArguments) => String(value) },
  );

/** HOST, METRICS_HOST: something to listen on. */
export const IsHost = (): PropertyDecorator =>
  Matches(/^[A-Za-z0-9.:_-]{1,255}$/, { message: 'must be a host name or an IP address' });

/** A whole number, bounds included. */
export const Whole =
  (min: number, max: number): PropertyDecorator =>
  (target, property) => {
    const message = `must be a whole number from ${min} to ${max}`;
    for (const decorate of [IsInt({ message }), Min(min, { message }), Max(max, { message })])
      decorate(target, property);
  };

/** `true` or `false`. */
export const Flag = (): PropertyDecorator => IsBoolean({ message: 'must be true or false' });
