import { Controller, Get, ParseIntPipe, Query } from '@nestjs/common';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Access } from './access.decorator.js';
import type { QueryParams } from './query.js';
import { type Running, boot, send } from './spec-support.js';

@Controller('asked')
@Access('open')
class AskedController {
  @Get()
  all(
    @Query() query: QueryParams,
    @Query('a') a: unknown,
    @Query('size') size: unknown,
    @Query('__proto__') proto: unknown,
  ): object {
    return { query: [...query], a, size, proto };
  }

  @Get('number')
  number(@Query('n', ParseIntPipe) n: number): object {
    return { n };
  }
}

let run: Running;
beforeAll(async () => {
  run = await boot({ controllers: [AskedController] });
});
afterAll(() => run.app.close());

const ask = async (path: string) => {
  const { status, json } = await send(run, 'GET', `/api/v1/asked${path}`, undefined, {});
  return [status, json];
};

it('gives a parameter by its name, those that are repeated as an array', async () => {
  expect(await ask('?a=1')).toEqual([200, { query: [['a', ['1']]], a: '1' }]);
  expect(await ask('?a=1&b=x&a=2')).toEqual([
    200,
    {
      query: [
        ['a', ['1', '2']],
        ['b', ['x']],
      ],
      a: ['1', '2'],
    },
  ]);
  expect(await ask('')).toEqual([200, { query: [] }]);
});

it('gives what was sent, and not what a map has by the same name', async () => {
  expect(await ask('')).toEqual([200, { query: [] }]);
  expect(await ask('?size=5&__proto__=p')).toMatchObject([200, { size: '5', proto: 'p' }]);
});

it('goes through pipes', async () => {
  expect(await ask('/number?n=5')).toEqual([200, { n: 5 }]);
  for (const path of ['/number?n=5&n=6', '/number?n=x', '/number']) expect((await ask(path))[0]).toBe(400);
});
