import { execFile, execFileSync } from 'node:child_process';
import { constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { Kind } from '../record/schema/kind.js';
import { Prop } from '../record/schema/prop.js';
import { RecordEntity } from '../record/record.entity.js';
import '../kinds/user/user.entity.js';
import { Drain } from './drain.js';
import { audit, createLogger, levelOf, READY_PATH } from './logging.js';
import { openSink } from './log-sink.js';
import { NestLogger } from './nest-logger.js';
import { RepeatedErrors } from './repeated-errors.js';

/** The secret of a kind that somebody has added. */
class Locker extends RecordEntity {
  @Prop.string({ writeOnly: true, length: 60, view: [], edit: ['owner'] })
  pin!: never;
}
Kind({ kind: 'Locker', path: 'lockers', owner: ['admin'], view: ['public'], create: [] })(Locker);

const logging = (logLevel: 'debug' | 'info' = 'info') => {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, logger: createLogger({ logLevel }, { write }) };
};

/** A process whose log is a file that may not grow: two pieces are lost, then the file is emptied. */
const FULL_DISK = `
import { openSync, readFileSync, truncateSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSink } from './dist/src/http/log-sink.js';
const [, file] = process.argv;
const sink = openSink(openSync(file, 'a'));
const until = async (is) => { while (!is()) await sleep(10); };
const written = (text) => until(() => readFileSync(file, 'utf8').includes(text));
const dropped = [];
for (const lines of [3, 2]) {
  for (let i = 0; i < lines; i++) sink.write('lost\\n');
  const all = sink.dropped + lines;
  await until(() => sink.dropped >= all);
  dropped.push(sink.dropped);
}
truncateSync(file);
sink.write('kept\\n');
await written('"dropped":');
sink.write('later\\n');
await written('later');
dropped.push(sink.dropped);
process.stdout.write(dropped.join(' '));
`;

describe('the level of a request', () => {
  it('is error for every failure of the service but the 503 of a planned stop', () => {
    const drain = new Drain(0);
    expect([200, 404, 500, 503].map((status) => levelOf(status, READY_PATH, drain))).toEqual([
      'info',
      'info',
      'error',
      'error',
    ]);
    drain.begin();
    expect(levelOf(503, READY_PATH, drain)).toBe('info');
    expect(levelOf(500, READY_PATH, drain)).toBe('error');
    expect(levelOf(503, '/api/v1/users', drain)).toBe('error');
    expect(levelOf(503, null, drain)).toBe('error');
  });
});

describe('the log', () => {
  it('has no statement, parameters or rows of a database error', () => {
    const { lines, logger } = logging();
    const driverError = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'Key (email)=(s3cr3t)',
    });
    const err = Object.assign(new Error('failed'), {
      query: 'insert s3cr3t',
      parameters: ['s3cr3t'],
      driverError,
    });
    logger.error({ err }, 'request failed');
    expect(JSON.stringify(lines)).not.toContain('s3cr3t');
    expect(lines[0]).toMatchObject({ level: 'error', err: { message: 'failed', cause: { code: '23505' } } });
  });

  it('does not repeat a URL that an error message holds', () => {
    const { lines, logger } = logging();
    logger.warn({
      err: Object.assign(new Error('sent twice: /s3cr3t'), { code: 'FST_ERR_REP_ALREADY_SENT' }),
    });
    expect(JSON.stringify(lines)).not.toContain('s3cr3t');
  });

  it('writes security events with their members only', () => {
    const { lines, logger } = logging();
    const event = {
      event: 'login',
      outcome: 'failure',
      actor: null,
      action: 'create',
      target: null,
    } as const;
    audit(logger.child({ requestId: 'r1' }), { ...event, address: '::1', ...{ password: 's3cr3t' } });
    expect(lines[0]).toMatchObject({
      ...event,
      requestId: 'r1',
      address: '::1',
      msg: 'audit',
      time: expect.any(String),
    });
    expect(lines[0]).not.toHaveProperty('password');
  });

  it.each(['password', 'currentPassword', 'privateKey', 'pin', 'cookie', 'set-cookie', 'authorization'])(
    'never shows a %s, on its own or within something',
    (name) => {
      const { lines, logger } = logging();
      logger.info({ [name]: 's3cr3t', seen: { [name]: 's3cr3t', word: 'shown' } }, 'said');
      expect(JSON.stringify(lines)).not.toContain('s3cr3t');
      expect(lines[0]).toMatchObject({ [name]: '[Redacted]', seen: { [name]: '[Redacted]', word: 'shown' } });
    },
  );

  it('writes out errors of one sort a few times, and then says how many more there were', async () => {
    const { lines, logger } = logging();
    const errors = new RepeatedErrors(logger, 1000);
    const outage = (attempt: number) =>
      Object.assign(new Error(`no way to the database, try ${attempt}`), { code: 'ECONNREFUSED' });
    for (let attempt = 0; attempt < 1800; attempt++) errors.write(logger, outage(attempt), 503);
    errors.write(logger, new TypeError('another one'), 500);
    expect(lines.filter(({ status }) => status === 503)).toHaveLength(5);
    expect(lines.filter(({ status }) => status === 500)).toHaveLength(1);
    for (let tries = 0; tries < 1000 && lines.length < 7; tries++)
      await new Promise((done) => setTimeout(done, 20));
    expect(lines.at(-1)).toMatchObject({ status: 503, more: 1795, error: '503 < Error ECONNREFUSED' });
    errors.write(logger, outage(0), 503);
    expect(lines).toHaveLength(8);
  });

  it('drops lines that a stalled reader has no room for, and says so when it reads again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kindred-sink-'));
    try {
      execFileSync('mkfifo', [join(folder, 'pipe')]);
      const reader = openSync(join(folder, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK);
      const sink = openSink(openSync(join(folder, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK), 10_000);
      // A pipe holds 64 KiB, and the sink 10,000 characters.
      for (let attempt = 0; attempt < 200; attempt++) {
        sink.write(`${'x'.repeat(999)}\n`);
        await new Promise((done) => setImmediate(done));
      }
      expect(sink.dropped).toBeGreaterThan(50);
      let text = '';
      const bytes = Buffer.alloc(65536);
      for (let tries = 0; tries < 1000 && !text.includes('"dropped":'); tries++) {
        try {
          text += bytes.toString('latin1', 0, readSync(reader, bytes));
        } catch {
          await new Promise((done) => setTimeout(done, 10)); // nothing there yet
        }
      }
      expect(text).toContain(`"dropped":${sink.dropped},`);
      expect(text.match(/x\n/g)?.length).toBe(200 - sink.dropped);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('drops lines that a disk refuses, and says how many when it takes them again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kindred-sink-'));
    const file = join(folder, 'log');
    try {
      writeFileSync(file, 'x'.repeat(4096)); // more than the limit: each write is refused, as by a full disk
      const limited = ['-c', 'ulimit -f 1; exec "$0" --input-type=module -e "$1" "$2"', process.execPath];
      const { stdout } = await promisify(execFile)('sh', [...limited, FULL_DISK, file], { timeout: 60_000 });
      expect(stdout).toBe('3 5 5');
      const [kept, empty, report = '', ...rest] = readFileSync(file, 'utf8').split('\n');
      expect([kept, empty, rest]).toEqual(['kept', '', ['later', '']]);
      expect(JSON.parse(report)).toMatchObject({ level: 'warn', dropped: 5 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('takes Nest’s lines', () => {
    const { lines, logger } = logging();
    const nest = new NestLogger(logger);
    nest.log('Mapped {/x, GET}', 'RouterExplorer');
    nest.log('started', 'NestApplication');
    nest.error('broken', 'the stack', 'Ctx');
    nest.error(new Error('thrown'));
    expect(lines).toMatchObject([
      { level: 'info', msg: 'started', context: 'NestApplication' },
      { level: 'error', msg: 'broken', context: 'Ctx', stack: 'the stack' },
      { level: 'error', msg: 'thrown', err: { type: 'Error' } },
    ]);
  });

  it('takes what Nest’s logger takes: several texts, objects, errors, and a stack for errors alone', () => {
    const { lines, logger } = logging('debug');
    const nest = new NestLogger(logger);
    nest.log('one', 'two', 3, 'Ctx');
    nest.warn('one', 'no stack', 'Ctx');
    nest.debug({ size: 5, nothing: null }, 'Ctx');
    nest.verbose('below the level', 'Ctx');
    nest.error('broken', undefined, 'Ctx');
    nest.fatal([1, 2], 'Ctx');
    nest.error('failed', new Error('why'), 'Ctx');
    expect(lines).toEqual(
      [
        { level: 'info', msg: 'one two 3' },
        { level: 'warn', msg: 'one no stack' },
        { level: 'debug', size: 5, nothing: null },
        { level: 'error', msg: 'broken' },
        { level: 'fatal', data: [1, 2] },
        { level: 'error', msg: 'failed', err: expect.objectContaining({ message: 'why' }) },
      ].map((line) => ({ ...line, context: 'Ctx', time: expect.any(String) })),
    );
  });

  it('keeps secrets out: members that are never logged, and what errors of the database carry', () => {
    const { lines, logger } = logging();
    const failed = Object.assign(new Error('failed'), { parameters: ['s3cr3t'], code: '23505' });
    const nest = new NestLogger(logger);
    nest.log({ password: 's3cr3t', user: { privateKey: 's3cr3t', name: 'olive' } }, 'Ctx');
    nest.error('save', { error: failed }, 'Ctx');
    expect(lines).toMatchObject([
      { user: { name: 'olive' } },
      { error: { message: 'failed', code: '23505' } },
    ]);
    expect(JSON.stringify(lines)).not.toContain('s3cr3t');
  });
});
