import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CONFIG_VARIABLES, loadConfig } from './config.js';
import { StartupError } from '../common/startup-error.js';

const SECRET = 's'.repeat(32);

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kindred-config-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const load = (env: NodeJS.ProcessEnv = {}) => loadConfig({ DATA_DIR: dir, APP_SECRET: SECRET, ...env });
const refusal = (env: NodeJS.ProcessEnv): string => {
  try {
    load(env);
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  throw new Error('was taken');
};

describe('loadConfig', () => {
  it('has a default for everything', () => {
    expect({ ...load() }).toEqual({
      nodeEnv: 'development',
      port: 3000,
      host: '127.0.0.1',
      dataDir: dir,
      databaseUrl: '',
      appSecret: SECRET,
      adminUsername: 'admin',
      adminEmail: 'admin@kindred.invalid',
      adminPassword: '',
      apiVersion: 'v1',
      apiDeprecated: [],
      logLevel: 'info',
      sessionIdleSeconds: 604_800,
      sessionAbsoluteSeconds: 2_592_000,
      cookieSecure: false,
      cookieSameSite: 'lax',
      loginRatePerAddress: 30,
      loginRatePerName: 10,
      loginRatePerNameInAll: 100,
      signupRatePerAddress: 60,
      trustProxy: false,
      corsOrigins: [],
      bodyLimit: 1_048_576,
      maxConnections: 5000,
      maxConnectionsPerAddress: 1500,
      maxPageBytes: 8388608,
      publicUrl: '',
      maxFileBytes: 1_073_741_824,
      maxPendingFiles: 100,
      maxPendingBytes: 5 * 1024 ** 3,
      maxPendingBytesInAll: 64 * 1024 ** 3,
      minFreeBytes: 1024 ** 3,
      maxRecordsPerUser: 100_000,
      maxSessionsPerUser: 100,
      s3Endpoint: '',
      s3PublicEndpoint: '',
      s3Region: 'us-east-1',
      s3Bucket: 'kindred',
      s3AccessKey: '',
      s3SecretKey: '',
      statementTimeoutMs: 5_000,
      databaseConnections: 31,
      credentialRatePerUser: 60,
      cronConcurrency: 10,
      cronRunSeconds: 600,
      drainSeconds: 0,
      stopGraceSeconds: 10,
      metricsPort: null,
      metricsHost: '127.0.0.1',
      otelEndpoint: '',
      otelTracesEndpoint: '',
      otelProtocol: 'http/protobuf',
      otelExporter: '',
      otelServiceName: 'kindred',
      otelDisabled: false,
    });
    expect(loadConfig({ APP_SECRET: SECRET }).dataDir).toBe(resolve('data'));
  });

  it('takes empty values as unset and ignores other variables', () => {
    expect(load({ PORT: '', LOG_LEVEL: '', SOMETHING: 'else' })).toMatchObject({
      port: 3000,
      logLevel: 'info',
    });
  });

  it('is frozen, lists included', () => {
    const config = load({ CORS_ORIGINS: 'https://a.test', TRUST_PROXY: '10.0.0.1' });
    for (const value of [config, config.corsOrigins, config.trustProxy])
      expect(Object.isFrozen(value)).toBe(true);
  });

  it.each<[NodeJS.ProcessEnv, object]>([
    [{ PORT: '0' }, { port: 0 }],
    [{ DATA_DIR: 'x/../y' }, { dataDir: resolve('y') }],
    [{ DATABASE_URL: 'postgresql://u:p@h/d' }, { databaseUrl: 'postgresql://u:p@h/d' }],
    [{ DATABASE_URL: ' postgres://u:p@h/d\n' }, { databaseUrl: 'postgres://u:p@h/d' }],
    [
      { PORT: ' 8080 ', HOST: ' ', DRAIN_SECONDS: '5\r' },
      { port: 8080, host: '127.0.0.1', drainSeconds: 5 },
    ],
    [{ COOKIE_SECURE: 'true' }, { cookieSecure: true }],
    [{ COOKIE_SAME_SITE: 'none', CORS_ORIGINS: 'https://a.test' }, { cookieSameSite: 'none' }],
    [{ TRUST_PROXY: 'true' }, { trustProxy: true }],
    [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
    [{ TRUST_PROXY: '10.0.0.0/8, ::1' }, { trustProxy: ['10.0.0.0/8', '::1'] }],
    [
      { CORS_ORIGINS: 'https://a.test, http://b.test:8080' },
      { corsOrigins: ['https://a.test', 'http://b.test:8080'] },
    ],
    [
      { LOGIN_RATE_PER_ADDRESS: '0', LOGIN_RATE_PER_NAME: '0' },
      { loginRatePerAddress: 0, loginRatePerName: 0 },
    ],
    [{ SESSION_IDLE_SECONDS: '5', SESSION_ABSOLUTE_SECONDS: '5' }, { sessionAbsoluteSeconds: 5 }],
  ])('reads %p', (env, expected) => {
    expect(load(env)).toMatchObject(expected);
  });

  it.each<[string, string]>([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3e3'],
    ['PORT', '8 0'],
    ['PORT', 'abc'],
    ['HOST', 'a b'],
    ['DATABASE_URL', 'mysql://h/d'],
    ['DATABASE_URL', 'postgres://['],
    ['DATABASE_URL', 'postgres://u:p@h1:5432,h2:5432/d'],
    ['DATABASE_URL', 'postgres://u:p@h1,h2/d'],
    ['DATABASE_URL', 'postgres://u:p@h'],
    ['DATABASE_URL', 'postgres://u:p@h/'],
    ['DATABASE_URL', 'postgres://u:p@h/d?sslmode=verify-full&sslrootcert=/no/such/file'],
    ['APP_SECRET', 'short'],
    ['ADMIN_EMAIL', 'nobody'],
    ['ADMIN_PASSWORD', '1234567'],
    ['API_VERSION', '1'],
    ['API_VERSION', 'v0'],
    ['API_VERSION', 'v1/x'],
    ['LOG_LEVEL', 'INFO'],
    ['SESSION_IDLE_SECONDS', '0'],
    ['SESSION_ABSOLUTE_SECONDS', '604799'],
    ['COOKIE_SECURE', 'yes'],
    ['COOKIE_SAME_SITE', 'strict'],
    ['COOKIE_SAME_SITE', 'none'],
    ['LOGIN_RATE_PER_NAME', '-1'],
    ['SIGNUP_RATE_PER_ADDRESS', '1.5'],
    ['TRUST_PROXY', 'proxy.test'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '-1'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://a.test/'],
    ['CORS_ORIGINS', 'https://a.test:443'],
    ['CORS_ORIGINS', 'null'],
    ['CORS_ORIGINS', 'https://a.test,ftp://b.test'],
    ['BODY_LIMIT', '0'],
    ['STATEMENT_TIMEOUT_MS', '1'],
    ['PUBLIC_URL', 'https://a.test/'],
    ['MAX_FILE_BYTES', '0'],
    ['MAX_PENDING_FILES', '0'],
    ['S3_ENDPOINT', 'files.test:9000'],
    ['S3_PUBLIC_ENDPOINT', 'https://a.test/bucket'],
    ['S3_REGION', 'a b'],
    ['S3_BUCKET', 'Bucket'],
    ['METRICS_PORT', 'on'],
    ['METRICS_HOST', 'a b'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'grpc://collector'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['API_DEPRECATED', 'v1'],
    ['API_DEPRECATED', 'one; since=2026-01-01'],
    ['API_DEPRECATED', 'v1; since=2026-02-30'],
    ['API_DEPRECATED', 'v1; since=soon'],
    ['API_DEPRECATED', 'v1; since=2026-01-01; sunset=2025-12-31'],
    ['API_DEPRECATED', 'v1; since=2026-01-01; until=2027-01-01'],
    ['API_DEPRECATED', 'v1; since=2026-01-01; since=2026-01-02'],
    ['API_DEPRECATED', 'v1; since=2026-01-01, v1; since=2026-01-01'],
    ['API_DEPRECATED', 'v1; since=2026-01-01; successor=v1'],
    ['API_DEPRECATED', 'v1; since=2026-01-01; link=//example.org'],
    ['API_DEPRECATED', 'v1; since=2026-01-01; link=https://example.org/<a>'],
  ])('refuses %s=%s in one line that names it', (name, value) => {
    const message = refusal({ [name]: value });
    expect(message).toMatch(new RegExp(`: ${name} must .*\\.$`));
    expect(message.split('\n')).toHaveLength(1);
  });

  it('lists all that is wrong, without secret values', () => {
    const message = refusal({
      PORT: 'a\nb',
      APP_SECRET: 'hunter2',
      ADMIN_PASSWORD: 'hunter3',
      DATABASE_URL: 'x://hunter4',
    });
    for (const name of ['PORT', 'APP_SECRET', 'ADMIN_PASSWORD', 'DATABASE_URL'])
      expect(message).toContain(`${name} must`);
    expect(message).not.toMatch(/hunter|\n/);
  });

  it('reads which versions of the API are deprecated', () => {
    const text =
      'v1; since=2026-01-01; sunset=2027-01-01T12:00:00+02:00; link=https://a.test/?b=c; sunset-link=http://a.test; successor=v3, v2;since=2026-06-01';
    const none = { sunset: null, link: null, sunsetLink: null, successor: null };
    expect(load({ API_DEPRECATED: text }).apiDeprecated).toEqual([
      {
        version: 'v1',
        since: 1_767_225_600,
        sunset: 1_798_797_600,
        link: 'https://a.test/?b=c',
        sunsetLink: 'http://a.test',
        successor: 'v3',
      },
      { ...none, version: 'v2', since: 1_780_272_000 },
    ]);
  });

  it('refuses a storage without credentials', () => {
    const message = refusal({ S3_ENDPOINT: 'https://s3.test', S3_ACCESS_KEY: 'key' });
    expect(message).toContain('S3_SECRET_KEY must be set');
  });

  it('refuses metrics on the port of the service', () => {
    const message = 'METRICS_PORT must be a port of its own, other than PORT, not "4000"';
    const same = { PORT: '4000', METRICS_PORT: '4000' };
    expect(refusal(same)).toContain(message);
    expect(refusal({ METRICS_PORT: '3000' })).toContain('other than PORT');
    for (const [HOST, METRICS_HOST] of [
      ['0.0.0.0', '127.0.0.1'],
      ['10.0.0.1', '0.0.0.0'],
      ['::', '127.0.0.1'],
      ['localhost', '127.0.0.1'],
    ])
      expect(refusal({ ...same, HOST, METRICS_HOST })).toContain(message);
    for (const [HOST, METRICS_HOST] of [
      ['10.0.0.1', '127.0.0.1'],
      ['0.0.0.0', '::1'],
    ])
      expect(load({ ...same, HOST, METRICS_HOST }).metricsPort).toBe(4000);
    expect(load({ PORT: '0', METRICS_PORT: '0' }).metricsPort).toBe(0);
  });

  it('describes its variables', () => {
    expect(CONFIG_VARIABLES).toContainEqual({ name: 'PORT', default: '3000', meaning: expect.any(String) });
    expect(CONFIG_VARIABLES).toHaveLength(Object.keys(load()).length);
  });
});

describe('the generated secret', () => {
  it('is made once, for the owner only, and stays', () => {
    const data = join(dir, 'deep', 'data');
    const { appSecret, dataDir } = load({ APP_SECRET: '', DATA_DIR: data });
    expect(appSecret.length).toBeGreaterThanOrEqual(43);
    expect(isAbsolute(dataDir)).toBe(true);
    expect(readdirSync(data)).toEqual(['app-secret']);
    expect(statSync(join(data, 'app-secret')).mode & 0o777).toBe(0o600);
    expect(load({ APP_SECRET: '', DATA_DIR: data }).appSecret).toBe(appSecret);
    expect(readFileSync(join(data, 'app-secret'), 'utf8').trim()).toBe(appSecret);
  });

  it('is never made in production', () => {
    expect(refusal({ APP_SECRET: '', NODE_ENV: 'production' })).toContain('APP_SECRET');
    expect(readdirSync(dir)).toEqual([]);
  });

  it('stops the start when it is damaged or can’t be made', () => {
    writeFileSync(join(dir, 'app-secret'), 'cut off');
    expect(refusal({ APP_SECRET: '' })).toContain('shorter than 32');
    const file = join(dir, 'app-secret');
    expect(refusal({ APP_SECRET: '', DATA_DIR: file })).toContain(`${JSON.stringify(file)} is a file`);
    rmSync(file);
    mkdirSync(file);
    expect(refusal({ APP_SECRET: '' })).toContain('DATA_DIR writable');
  });
});
