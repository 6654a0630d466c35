import { HttpException, NotFoundException, UnauthorizedException } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { errorCodes } from 'fastify';
import { toFailure } from './error-mapping.js';
import { conflict } from '../common/errors.js';

const context = { requestId: 'r1', bodyLimit: 1000 };
const coded = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });

describe('toFailure', () => {
  it('leaves a catalogue error as it is, also inside others', () => {
    const error = conflict('username is taken.', 'username');
    expect(toFailure(error, context)).toBe(error);
    expect(toFailure(new Error('in a transaction', { cause: error }), context)).toBe(error);
  });

  it.each<[number, unknown]>([
    [404, new NotFoundException('Cannot GET /secret')],
    [418, new HttpException('short and stout', 418)],
    [409, new Error('in a transaction', { cause: new HttpException('taken', 409) })],
    [409, new HttpException('taken', 409, { cause: coded('57P01') })],
    [500, new HttpException('out of range', 99)],
    [500, new HttpException('no number', Number('x'))],
    [429, Object.assign(new Error('slower'), { statusCode: 429 })],
    [400, Object.assign(new Error('unheard of'), { statusCode: 400 })],
    [413, new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()],
    [415, new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('x/y')],
    [413, new HttpException('x', 413, { cause: new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE() })],
    [400, new errorCodes.FST_ERR_BAD_URL('/%')],
    [404, new errorCodes.FST_ERR_MAX_PARAM_LENGTH('/a')],
    [400, Object.assign(coded('ECONNRESET', 'aborted'), { statusCode: 400 })],
    ...[
      'ECONNREFUSED',
      'ECONNRESET',
      '57P01',
      '57P02',
      '57P03',
      '08006',
      '08P01',
      '53300',
      '40001',
      '40P01',
    ].map((code): [number, unknown] => [503, coded(code)]),
    [503, new Error('Connection terminated unexpectedly')],
    [503, new Error('timeout exceeded when trying to connect')],
    [503, new Error('Client was closed and is not queryable')],
    [503, new Error('Cannot use a pool after calling end on the pool')],
    [503, Object.assign(new Error('QueryFailedError'), { driverError: coded('57P01') })],
    [503, new Error('fetch failed', { cause: coded('ECONNREFUSED') })],
    [504, coded('57014')],
    [504, coded('55P03')],
    [504, new Error('Query read timeout')],
    [500, coded('23505', 'duplicate key value violates unique constraint "user_username"')],
    [500, coded('XX000')],
    [500, new Error('anything')],
    [500, null],
    [500, undefined],
    [500, 'text'],
    [500, { status: 404, statusCode: 404, message: 'no Error' }],
  ])('gives %d for %p', (status, thrown) => {
    expect(toFailure(thrown, context).status).toBe(status);
  });

  it('says nothing of the original', () => {
    const secrets = [
      new NotFoundException('Cannot GET /s3cr3t'),
      new HttpException('s3cr3t', 400, { cause: new errorCodes.FST_ERR_BAD_URL('/s3cr3t') }),
      new HttpException('s3cr3t', 400, { cause: coded('FST_ERR_OF_A_PLUGIN') }),
      new UnauthorizedException(new Error('s3cr3t')),
      Object.assign(new Error('s3cr3t'), { statusCode: 429 }),
      coded('53300', 's3cr3t'),
      coded('x', 's3cr3t'),
      new Error('s3cr3t'),
    ];
    for (const thrown of secrets)
      expect(JSON.stringify(toFailure(thrown, context).message)).not.toContain('s3cr3t');
    expect(toFailure(null, context).data).toBe('r1');
  });

  it('ends on a circle of causes', () => {
    const error = new Error('round');
    error.cause = error;
    expect(toFailure(error, context).status).toBe(500);
  });
});
