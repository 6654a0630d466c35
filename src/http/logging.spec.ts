import { describe, expect, it } from '@jest/globals';
import { audit, createLogger } from './logging.js';
import { NestLogger } from './nest-logger.js';

const logging = (logLevel: 'debug' | 'info' = 'info') => {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, logger: createLogger({ logLevel }, { write }) };
};

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
});
