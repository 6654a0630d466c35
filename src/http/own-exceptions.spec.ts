import * as nest from '@nestjs/common';
import {
  Body,
  Controller,
  Get,
  HttpException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Res,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { IsInt, IsPositive } from 'class-validator';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { Access } from './access.decorator.js';
import { type Running, boot, send } from './spec-support.js';

type Made = new (message?: unknown, options?: object) => HttpException;

/** Every exception of Nest's that has a status of its own; a new one is among them. */
const CLASSES = (Object.entries(nest) as [string, unknown][]).filter(
  (entry): entry is [string, Made] =>
    typeof entry[1] === 'function' && entry[1].prototype instanceof HttpException,
);

/** What the route throws. */
let thrown: unknown;

class NoGuard {
  canActivate(): boolean {
    return false;
  }
}

class Size {
  @IsInt()
  @IsPositive()
  width!: number;

  @IsInt()
  height!: number;
}

@Controller('own')
@Access('open')
class OwnController {
  @Post('throw')
  throwIt(): void {
    throw thrown;
  }

  @Post('later')
  async throwLater(@Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    reply.headers({ 'retry-after': '7', etag: '"of the body"' });
    await Promise.resolve();
    throw thrown;
  }

  @Post('size')
  size(@Body(new ValidationPipe()) { width, height }: Size): object {
    return { area: width * height };
  }

  @Get('number/:id')
  number(@Param('id', ParseIntPipe) id: number): object {
    return { id };
  }

  @Get('guarded')
  @UseGuards(NoGuard)
  guarded(): object {
    return {};
  }
}

@Controller({ path: 'hosted', host: 'elsewhere.test' })
@Access('open')
class HostedController {
  @Get()
  read(@Query() query: unknown): object {
    return { query };
  }
}

let run: Running;
beforeAll(async () => {
  run = await boot({ controllers: [OwnController, HostedController] });
});
afterAll(() => run.app.close());

const responseTo = async (exception: unknown, route = 'throw') => {
  thrown = exception;
  const { status, headers, json } = await send(run, 'POST', `/api/v1/own/${route}`, '{}');
  return { status, headers, body: json };
};

describe('an exception of the application’s own', () => {
  it('is one of many that Nest has', () => {
    expect(CLASSES.length).toBeGreaterThan(20);
  });

  it.each(CLASSES)('%s keeps its status and its message', async (_name, Exception) => {
    const status = new Exception().getStatus();
    const { body, ...response } = await responseTo(new Exception('Said by the route.'));
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const data = status === 500 ? response.headers.get('x-request-id') : null;
    expect(body).toEqual({ error: { code: status, message: 'Said by the route.', data } });
  });

  it.each(CLASSES)('%s has words where the route gave none', async (_name, Exception) => {
    const { status, body } = await responseTo(new Exception());
    const { message } = new Exception();
    expect({ status, body }).toMatchObject({
      status: new Exception().getStatus(),
      body: { error: { message } },
    });
    expect(message).toMatch(/^\w/);
  });

  it.each([
    ['a status of one’s own', new HttpException('Calm down.', 420), 420, 'Calm down.', null],
    ['any status', new HttpException('Odd.', 599), 599, 'Odd.', null],
    [
      'an object without a message',
      new HttpException({ status: 409, error: 'Busy' }, 409),
      409,
      'Busy',
      { status: 409 },
    ],
    ['data', new nest.ConflictException({ message: 'Taken', data: 'name' }), 409, 'Taken', 'name'],
    ['members', new nest.GoneException({ message: 'Left', since: 1 }), 410, 'Left', { since: 1 }],
    ['a code', new nest.GoneException('Left', { errorCode: 'LEFT' }), 410, 'Left', { errorCode: 'LEFT' }],
    ['no text', new HttpException('', 402), 402, 'Payment Required', null],
    ['no content', new HttpException({}, 499), 499, 'Error', null],
    ['an error', new nest.BadGatewayException(new Error('s3cr3t')), 502, 'Bad Gateway', null],
    ['a cause', new nest.ConflictException('Taken', { cause: new Error('s3cr3t') }), 409, 'Taken', null],
    [
      'issues',
      new nest.BadRequestException([{ path: 'a' }]),
      400,
      'Bad Request',
      { message: [{ path: 'a' }] },
    ],
  ])('with %s', async (_what, exception, status, message, data) => {
    const response = await responseTo(exception);
    expect(response).toMatchObject({ status, body: { error: { code: status, message, data } } });
    expect(JSON.stringify(response.body)).not.toContain('s3cr3t');
  });

  it('with several messages, as ValidationPipe throws it, warns of the others', async () => {
    const post = (body: object) => send(run, 'POST', '/api/v1/own/size', JSON.stringify(body));
    expect(await post({ width: 2, height: 3 })).toMatchObject({ status: 201, json: { area: 6 } });
    expect(await post({ width: -0.5, height: '1' })).toMatchObject({ status: 400 });
    const { json } = await post({ width: -0.5, height: '1' });
    expect(json).toEqual({
      error: { code: 400, message: 'width must be a positive number', data: null },
      warnings: [
        { code: 400, message: 'width must be an integer number', data: null },
        { code: 400, message: 'height must be an integer number', data: null },
      ],
    });
  });

  it('keeps the headers of the reply, but for those of the body that is not sent', async () => {
    const { status, headers, body } = await responseTo(new HttpException('Too many calls.', 429), 'later');
    expect([status, headers.get('retry-after'), headers.get('etag')]).toEqual([429, '7', null]);
    expect(body).toEqual({ error: { code: 429, message: 'Too many calls.', data: 7 } });
  });

  it('is in the log when it is the service’s fault, and only then', async () => {
    run.lines.length = 0;
    await responseTo(new nest.GoneException('Left'));
    expect(run.lines.filter((line) => line.includes('"err"'))).toEqual([]);
    await responseTo(new nest.NotImplementedException('Not yet', { cause: new Error('because') }));
    const errors = run.lines.map((line) => JSON.parse(line) as { err?: object }).filter(({ err }) => err);
    expect(errors).toEqual([
      expect.objectContaining({
        err: expect.objectContaining({
          type: 'NotImplementedException',
          cause: expect.objectContaining({ message: 'because' }),
        }),
      }),
    ]);
  });

  it('is a 500 with a status that no answer has, or when it can’t be written', async () => {
    const loop: Record<string, unknown> = { message: 's3cr3t' };
    loop.self = loop;
    for (const exception of [new HttpException('s3cr3t', 99), new HttpException(loop, 409)]) {
      const { status, headers, body } = await responseTo(exception);
      expect([status, body]).toEqual([
        500,
        { error: { code: 500, message: expect.any(String), data: headers.get('x-request-id') } },
      ]);
      expect(JSON.stringify(body)).not.toContain('s3cr3t');
    }
  });

  it('may come from a pipe', async () => {
    const { status, json } = await send(run, 'GET', '/api/v1/own/number/x');
    expect([status, json]).toEqual([
      400,
      { error: { code: 400, message: 'Validation failed (numeric string is expected)', data: null } },
    ]);
  });

  it('is a refusal in the audit log when a guard lets nobody in', async () => {
    run.lines.length = 0;
    const { status } = await send(run, 'GET', '/api/v1/own/guarded');
    expect(status).toBe(403);
    expect(run.lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ event: 'access', outcome: 'refused', action: 'GET /api/v1/own/guarded' }),
    );
  });
});

describe('what Nest’s router says by itself', () => {
  it('is replaced: it repeats the URL', async () => {
    for (const path of ['/api/v1/hosted?a=s3cr3t', '/api/v1/s3cr3t']) {
      const { status, json } = await send(run, 'GET', path);
      expect([status, json]).toEqual([404, { error: { code: 404, message: 'Not found.', data: null } }]);
    }
  });
});
