import { resolve } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { IsEmail, IsIn, IsNotEmpty, Length, Matches, ValidateIf, validateSync } from 'class-validator';
import { type ApiDeprecation, readDeprecated } from './api-deprecated.js';
import { generatedSecret } from './app-secret.js';
import {
  AreOrigins,
  Flag,
  IsHost,
  IsHttpUrlOrEmpty,
  IsAppSecret,
  IsDatabaseUrl,
  IsDeprecated,
  IsOriginOrEmpty,
  IsSameSite,
  IsTrustProxy,
  NeededForS3,
  NotBelowFile,
  NotBelowIdle,
  NotThePort,
  Whole,
} from './checks.js';
import { LEAST_CONNECTIONS } from './connection-split.js';
import { VERSION_NAME } from '../common/api-path.js';
import { tracesUrl } from './traces-url.js';
import { StartupError } from '../common/startup-error.js';
import {
  type ConfigVariable,
  Variable,
  declaredVariables,
  toBoolean,
  toInteger,
  toList,
  toTrustProxy,
} from './variable.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** A pino level, or `silent`. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const YEAR = 366 * 24 * 3600;

/**
 * The settings of the service: the environment, read once, checked and frozen. Also the injection token.
 * Durations end in their unit; sizes are bytes.
 */
export class Config {
  @Variable('NODE_ENV', { default: 'development', meaning: '`production` makes APP_SECRET mandatory' })
  @IsNotEmpty({ message: 'must not be empty' })
  readonly nodeEnv!: string;

  @Variable('PORT', {
    default: '3000',
    meaning: 'TCP port to listen on; 0 takes any free one',
    read: toInteger,
  })
  @Whole(0, 65535)
  readonly port!: number;

  @Variable('HOST', { default: '127.0.0.1', meaning: 'Address to listen on; 0.0.0.0 or :: for all' })
  @IsHost()
  readonly host!: string;

  @Variable('DATA_DIR', {
    default: './data',
    meaning:
      'Folder of the embedded database, the files and the secrets; imports always store temporary files in it',
    read: (text) => resolve(text),
  })
  @Matches(/^[^\0]+$/, { message: 'must be a path' })
  readonly dataDir!: string;

  @Variable('DATABASE_URL', {
    default: '',
    meaning: 'PostgreSQL to use, `postgres://…`; empty: the embedded one',
    read: (text) => text.trim(),
    secret: true,
  })
  @IsDatabaseUrl()
  readonly databaseUrl!: string;

  @Variable('APP_SECRET', {
    default: '',
    meaning:
      'Secret of 32 characters or more, on which ids and signed URLs depend; empty: generated once, in DATA_DIR (not in production)',
    secret: true,
  })
  @IsAppSecret()
  readonly appSecret!: string;

  @Variable('ADMIN_USERNAME', { default: 'admin', meaning: 'Name of the first administrator' })
  @Length(1, 60, { message: 'must have 1 to 60 characters' })
  readonly adminUsername!: string;

  @Variable('ADMIN_EMAIL', {
    default: 'admin@kindred.invalid',
    meaning: 'E-mail address of the first administrator',
  })
  @IsEmail({}, { message: 'must be an e-mail address' })
  readonly adminEmail!: string;

  @Variable('ADMIN_PASSWORD', {
    default: '',
    meaning: 'Password of the first administrator, 8 to 256 characters; empty: generated, and printed once',
    secret: true,
  })
  @ValidateIf((config: Config) => config.adminPassword !== '')
  @Length(8, 256, { message: 'must have 8 to 256 characters' })
  readonly adminPassword!: string;

  @Variable('API_VERSION', {
    default: 'v1',
    meaning: 'The default version of the API, which `/openapi.json` and `/docs` describe',
  })
  @Matches(VERSION_NAME, { message: 'must be v and a number from 1, like v1' })
  readonly apiVersion!: string;

  @Variable('API_DEPRECATED', {
    default: '',
    meaning:
      'Deprecated versions, and what their answers say about it: `v1; since=2026-01-31; sunset=2027-01-31`; see [Versions](versions.md)',
    read: readDeprecated,
  })
  @IsDeprecated()
  readonly apiDeprecated!: readonly ApiDeprecation[];

  @Variable('LOG_LEVEL', {
    default: 'info',
    meaning: `Lowest level that is logged: ${LOG_LEVELS.join(', ')}`,
  })
  @IsIn(LOG_LEVELS, { message: `must be one of ${LOG_LEVELS.join(', ')}` })
  readonly logLevel!: LogLevel;

  @Variable('SESSION_IDLE_SECONDS', {
    default: '604800',
    meaning: 'A session ends after this long without a request',
    read: toInteger,
  })
  @Whole(1, 10 * YEAR)
  readonly sessionIdleSeconds!: number;

  @Variable('SESSION_ABSOLUTE_SECONDS', {
    default: '2592000',
    meaning: 'A session ends this long after login at the latest',
    read: toInteger,
  })
  @NotBelowIdle()
  @Whole(1, 10 * YEAR)
  readonly sessionAbsoluteSeconds!: number;

  @Variable('MAX_SESSIONS_PER_USER', {
    default: '100',
    meaning: 'Sessions that one user may have; a login beyond it ends the oldest; 0: no limit',
    read: toInteger,
  })
  @Whole(0, 1_000_000)
  readonly maxSessionsPerUser!: number;

  @Variable('COOKIE_SECURE', {
    default: 'false',
    meaning: '`true`: the session cookie is always Secure, even if the service itself receives plain HTTP',
    read: toBoolean,
  })
  @Flag()
  readonly cookieSecure!: boolean;

  @Variable('COOKIE_SAME_SITE', {
    default: 'lax',
    meaning:
      '`none`: pages of CORS_ORIGINS on other sites can log in, because the cookies are then `SameSite=None; Secure`; requires HTTPS',
  })
  @IsSameSite()
  readonly cookieSameSite!: 'lax' | 'none';

  @Variable('LOGIN_RATE_PER_ADDRESS', {
    default: '30',
    meaning: 'Failed logins per minute from one address; 0: no limit',
    read: toInteger,
  })
  @Whole(0, 1_000_000)
  readonly loginRatePerAddress!: number;

  @Variable('LOGIN_RATE_PER_NAME', {
    default: '10',
    meaning: 'Failed logins per minute for one login name or key from one address; 0: no limit',
    read: toInteger,
  })
  @Whole(0, 1_000_000)
  readonly loginRatePerName!: number;

  @Variable('LOGIN_RATE_PER_NAME_IN_ALL', {
    default: '100',
    meaning:
      'Failed logins per minute for one login name or key from all addresses together; does not block a device that has logged in before; 0: no limit',
    read: toInteger,
  })
  @Whole(0, 1_000_000)
  readonly loginRatePerNameInAll!: number;

  @Variable('SIGNUP_RATE_PER_ADDRESS', {
    default: '60',
    meaning: 'Sign-ups per hour from one address; 0: no limit',
    read: toInteger,
  })
  @Whole(0, 1_000_000)
  readonly signupRatePerAddress!: number;

  @Variable('CREDENTIAL_RATE_PER_USER', {
    default: '60',
    meaning: 'Changes per hour of username, e-mail address and password by one user; 0: no limit',
    read: toInteger,
  })
  @Whole(0, 1_000_000)
  readonly credentialRatePerUser!: number;

  @Variable('MAX_RECORDS_PER_USER', {
    default: '100000',
    meaning:
      'Records of one kind that one user may have, unless the kind says otherwise (`maxPerUser`); administrators may create more; 0: no limit',
    read: toInteger,
  })
  @Whole(0, 1_000_000_000)
  readonly maxRecordsPerUser!: number;

  @Variable('TRUST_PROXY', {
    default: 'false',
    meaning:
      'Whose X-Forwarded-* headers to trust: `false`, `true` (anyone’s), the number of proxies in front, or a comma list of addresses and networks',
    read: toTrustProxy,
  })
  @IsTrustProxy()
  readonly trustProxy!: boolean | number | readonly string[];

  @Variable('CORS_ORIGINS', {
    default: '',
    meaning: 'Comma list of the exact origins that may call with cookies; empty: CORS is off',
    read: toList,
  })
  @AreOrigins()
  readonly corsOrigins!: readonly string[];

  @Variable('BODY_LIMIT', { default: '1048576', meaning: 'Largest JSON body, in bytes', read: toInteger })
  @Whole(1024, 64 * 1024 * 1024)
  readonly bodyLimit!: number;

  @Variable('MAX_CONNECTIONS', {
    default: '5000',
    meaning: 'Connections that may be open at the same time; 0: no limit',
    read: toInteger,
  })
  @Whole(0, 1_000_000)
  readonly maxConnections!: number;

  @Variable('MAX_CONNECTIONS_PER_ADDRESS', {
    default: '1500',
    meaning:
      'Connections that one address (IPv6: one /64) may have open at the same time, except for the proxies of TRUST_PROXY; 0: no limit',
    read: toInteger,
  })
  @Whole(0, 1_000_000)
  readonly maxConnectionsPerAddress!: number;

  @Variable('MAX_PAGE_BYTES', {
    default: '8388608',
    meaning:
      'Largest total size of what a caller may see of the records on one page of a list, in bytes; a single record may be larger',
    read: toInteger,
  })
  @Whole(1024, 1024 ** 3)
  readonly maxPageBytes!: number;

  @Variable('PUBLIC_URL', {
    default: '',
    meaning:
      'Address at which clients reach the service, `https://…` without a path; upload and download URLs begin with it; empty: the address it listens on',
  })
  @IsOriginOrEmpty()
  readonly publicUrl!: string;

  @Variable('MAX_FILE_BYTES', {
    default: '1073741824',
    meaning: 'Largest file that may be uploaded, in bytes',
    read: toInteger,
  })
  @Whole(1, 5 * 1024 ** 3)
  readonly maxFileBytes!: number;

  @Variable('MAX_PENDING_FILES', {
    default: '100',
    meaning: 'Uploads that one user may have started and not yet imported',
    read: toInteger,
  })
  @Whole(1, 1_000_000)
  readonly maxPendingFiles!: number;

  @Variable('MAX_PENDING_BYTES', {
    default: '5368709120',
    meaning: 'Total bytes of the uploads that one user may have started and not yet imported',
    read: toInteger,
  })
  @NotBelowFile()
  @Whole(1, 2 ** 49)
  readonly maxPendingBytes!: number;

  @Variable('MAX_PENDING_BYTES_IN_ALL', {
    default: '68719476736',
    meaning: 'Total bytes that have arrived from all users and are not imported yet',
    read: toInteger,
  })
  @NotBelowFile()
  @Whole(1, 2 ** 49)
  readonly maxPendingBytesInAll!: number;

  @Variable('MIN_FREE_BYTES', {
    default: '1073741824',
    meaning: 'Bytes that files leave free on the disk of DATA_DIR, for the database and others; 0: none',
    read: toInteger,
  })
  @Whole(0, 2 ** 49)
  readonly minFreeBytes!: number;

  @Variable('S3_ENDPOINT', {
    default: '',
    meaning: 'S3-compatible storage for files, `https://…` without a path; empty: a folder under DATA_DIR',
  })
  @IsOriginOrEmpty()
  readonly s3Endpoint!: string;

  @Variable('S3_PUBLIC_ENDPOINT', {
    default: '',
    meaning: 'Address at which clients reach that storage; empty: S3_ENDPOINT',
  })
  @IsOriginOrEmpty()
  readonly s3PublicEndpoint!: string;

  @Variable('S3_REGION', { default: 'us-east-1', meaning: 'Region of the bucket' })
  @Matches(/^[A-Za-z0-9-]{1,64}$/, { message: 'must be the name of a region' })
  readonly s3Region!: string;

  @Variable('S3_BUCKET', {
    default: 'kindred',
    meaning: 'Bucket for the files; created at start if it does not exist',
  })
  @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { message: 'must be the name of a bucket' })
  readonly s3Bucket!: string;

  @Variable('S3_ACCESS_KEY', { default: '', meaning: 'Access key of the storage' })
  @NeededForS3()
  readonly s3AccessKey!: string;

  @Variable('S3_SECRET_KEY', { default: '', meaning: 'Secret key of the storage', secret: true })
  @NeededForS3()
  readonly s3SecretKey!: string;

  @Variable('STATEMENT_TIMEOUT_MS', {
    default: '5000',
    meaning: 'Longest time that a database statement may run, in milliseconds',
    read: toInteger,
  })
  @Whole(100, 600_000)
  readonly statementTimeoutMs!: number;

  @Variable('DATABASE_CONNECTIONS', {
    default: '31',
    meaning:
      'Most connections to the database that this instance opens, divided between transactions, reads and jobs; two more while it migrates',
    read: toInteger,
  })
  @Whole(LEAST_CONNECTIONS, 1000)
  readonly databaseConnections!: number;

  @Variable('CRON_CONCURRENCY', {
    default: '10',
    meaning: 'Most background jobs that this instance runs at the same time; 0: it runs none',
    read: toInteger,
  })
  @Whole(0, 1000)
  readonly cronConcurrency!: number;

  @Variable('CRON_RUN_SECONDS', {
    default: '600',
    meaning: 'Longest time that one try of a background job may take',
    read: toInteger,
  })
  @Whole(1, 86_400)
  readonly cronRunSeconds!: number;

  @Variable('DRAIN_SECONDS', {
    default: '0',
    meaning:
      'How long a stopping service continues to serve, while `/health/ready` is 503 and answers close their connections; longer than a balancer needs to notice',
    read: toInteger,
  })
  @Whole(0, 3600)
  readonly drainSeconds!: number;

  @Variable('STOP_GRACE_SECONDS', {
    default: '10',
    meaning: 'How long a stop then waits for running requests and uploads before it closes their connections',
    read: toInteger,
  })
  @Whole(0, 3600)
  readonly stopGraceSeconds!: number;

  @Variable('METRICS_PORT', {
    default: '',
    meaning:
      'TCP port of `/metrics` for Prometheus, separate from PORT; 0 takes any free one; empty: no metrics',
    read: (text) => (text === '' ? null : toInteger(text)),
  })
  @ValidateIf((config: Config) => config.metricsPort !== null)
  @NotThePort()
  @Whole(0, 65535)
  readonly metricsPort!: number | null;

  @Variable('METRICS_HOST', {
    default: '127.0.0.1',
    meaning: 'Address that `/metrics` listens on; choose one that the public can’t reach',
  })
  @IsHost()
  readonly metricsHost!: string;

  @Variable('OTEL_EXPORTER_OTLP_ENDPOINT', {
    default: '',
    meaning: 'OpenTelemetry collector to which traces are sent, `http://…:4318`; empty: no traces',
  })
  @IsHttpUrlOrEmpty()
  readonly otelEndpoint!: string;

  @Variable('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', {
    default: '',
    meaning: 'The full address for traces, instead of the collector’s with `/v1/traces`',
  })
  @IsHttpUrlOrEmpty()
  readonly otelTracesEndpoint!: string;

  @Variable('OTEL_EXPORTER_OTLP_PROTOCOL', {
    default: 'http/protobuf',
    meaning: 'How traces are sent: http/protobuf or http/json',
  })
  @ValidateIf((config: Config) => tracesUrl(config) !== null)
  @IsIn(['http/protobuf', 'http/json'], { message: 'must be http/protobuf or http/json' })
  readonly otelProtocol!: string;

  @Variable('OTEL_TRACES_EXPORTER', {
    default: '',
    meaning:
      '`otlp` sends traces, by default to `http://localhost:4318`; `none` sends none; empty: sends traces if an endpoint is set',
  })
  @IsIn(['', 'otlp', 'none'], { message: 'must be otlp or none' })
  readonly otelExporter!: string;

  @Variable('OTEL_SERVICE_NAME', { default: 'kindred', meaning: 'Name of the service in traces' })
  @IsNotEmpty({ message: 'must not be empty' })
  readonly otelServiceName!: string;

  @Variable('OTEL_SDK_DISABLED', {
    default: 'false',
    meaning: '`true`: no traces, whatever else is set',
    read: (text) => text.toLowerCase() === 'true',
  })
  readonly otelDisabled!: boolean;
}

/** The variables that the service reads, in the order of the table in docs/configuration.md. */
export const CONFIG_VARIABLES: readonly ConfigVariable[] = declaredVariables().map(
  ({ name, default: preset, meaning }) => Object.freeze({ name, default: preset, meaning }),
);

/** The faults of a configuration as sentences, one for each wrong variable, without the values of secrets. */
const faultsOf = (config: Config, env: NodeJS.ProcessEnv): string[] => {
  const errors = new Map(validateSync(config).map((error) => [error.property, error.constraints ?? {}]));
  return declaredVariables().flatMap(({ property, name, secret, default: preset }) => {
    const [rule] = Object.values(errors.get(property) ?? {});
    if (rule === undefined) return [];
    const given = env[name] ?? '';
    // One line, whatever the value holds.
    const found = secret || given === '' ? '' : `, not ${JSON.stringify(given.slice(0, 80))}`;
    const fix = preset === '' ? '' : ` (unset, it is ${preset})`;
    return [`${name} ${rule}${found}${fix}`];
  });
};

/**
 * Reads the settings from `env`. An empty value counts as unset; variables that are not ours are ignored. Pure, but for
 * the secret that is made in the data folder when none is given.
 * @throws StartupError with one line that lists every wrong variable and the fix.
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const texts = Object.fromEntries(
    declaredVariables().map(({ property, name, secret, default: preset }) => {
      // White space around a value is a mistake, except in a secret.
      const text = secret ? env[name] : env[name]?.trim();
      return [property, text || preset];
    }),
  );
  const config = plainToInstance(Config, texts);
  const faults = faultsOf(config, env);
  if (faults.length > 0) {
    throw new StartupError(`Wrong settings in the environment: ${faults.join('; ')}. Fix them and restart.`);
  }
  const appSecret = config.appSecret || generatedSecret(config.dataDir);
  const lists = [config.corsOrigins, config.trustProxy, config.apiDeprecated].filter((value) =>
    Array.isArray(value),
  );
  for (const list of lists) Object.freeze(list);
  return Object.freeze(Object.assign(config, { appSecret }));
}
