import { Controller, Delete, Get, HttpCode, Post, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Body } from '../http/body-parser.js';
import type { Query } from '../http/query.js';
import { Access } from '../http/access.decorator.js';

/** What the endpoint answers; `body` on POST and PUT only. */
export interface Echo {
  success: true;
  /** Now, in UTC. */
  serverTime: string;
  httpMethod: string;
  /** Every parameter sent; a repeated one as an array. */
  query: Record<string, string | string[]>;
  body?: Body;
}

/** Without a prototype, so that a parameter named `__proto__` is a member like any other. */
const plain = (query: Query): Record<string, string | string[]> => {
  const object = Object.create(null) as Record<string, string | string[]>;
  for (const [name, values] of query) object[name] = values.length === 1 ? values.join() : [...values];
  return object;
};

const echo = (request: FastifyRequest): Echo => ({
  success: true,
  serverTime: new Date().toISOString(),
  httpMethod: request.method,
  query: plain(request.query as Query),
});

const echoBody = (request: FastifyRequest): Echo => ({
  ...echo(request),
  body: (request.body ?? {}) as Body,
});

/** Echoes query and body, so that a client can try its calls. It has no data and looks at no cookie. */
@Controller('test')
@Access('open')
export class TestController {
  @Get()
  get(@Req() request: FastifyRequest): Echo {
    return echo(request);
  }

  @Post()
  @HttpCode(200)
  post(@Req() request: FastifyRequest): Echo {
    return echoBody(request);
  }

  @Put()
  put(@Req() request: FastifyRequest): Echo {
    return echoBody(request);
  }

  @Delete()
  delete(@Req() request: FastifyRequest): Echo {
    return echo(request);
  }
}
