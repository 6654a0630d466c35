import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import type { Body as JsonBody } from '../http/body-parser.js';
import type { QueryParams } from '../http/query.js';
import { DATE_TIME, type JsonSchema, objectOf } from '../openapi-model/json-schema.js';
import { Describe, type Operation } from '../openapi-model/operation.decorator.js';
import { Access } from '../http/access.decorator.js';

/** The response of the endpoint; `body` on POST and PUT only. */
export interface Echo {
  success: true;
  /** Now, in UTC. */
  serverTime: string;
  httpMethod: string;
  /** Every parameter sent; a repeated one as an array. */
  query: Record<string, string | string[]>;
  body?: JsonBody;
}

/** Without a prototype, so that a parameter named `__proto__` is a member like any other. */
const plain = (query: QueryParams): Record<string, string | string[]> => {
  const object = Object.create(null) as Record<string, string | string[]>;
  for (const [name, values] of query) object[name] = values.length === 1 ? values.join() : [...values];
  return object;
};

const echo = (httpMethod: string, query: QueryParams): Echo => ({
  success: true,
  serverTime: new Date().toISOString(),
  httpMethod,
  query: plain(query),
});

const ANY_OBJECT: JsonSchema = { type: 'object', additionalProperties: true };
const QUERY: JsonSchema = {
  type: 'object',
  description: 'Every parameter sent; a repeated one as an array.',
  additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
};
const ECHO = {
  success: { type: 'boolean', const: true },
  serverTime: DATE_TIME,
  httpMethod: { type: 'string' },
  query: QUERY,
} as const satisfies Record<string, JsonSchema>;

const described = (method: string, hasBody: boolean): Operation => ({
  id: `echo${method}`,
  tag: 'Test',
  summary: `Echo a ${method.toUpperCase()}`,
  description: 'For trying out calls. It uses no data and no cookie.',
  query: [{ name: 'query', description: 'Any parameters.', schema: QUERY }],
  ...(hasBody && {
    body: { schema: ANY_OBJECT, examples: { echo: { greeting: 'hello' } }, optional: true },
    errors: ['tooLarge', 'unsupportedType', 'invalid'],
  }),
  response: { json: objectOf(hasBody ? { ...ECHO, body: ANY_OBJECT } : ECHO) },
});

/** Echoes query and body, so that a client can try its calls. It has no data and looks at no cookie. */
@Controller('test')
@Access('open')
export class TestController {
  @Get()
  @Describe(described('Get', false))
  get(@Query() query: QueryParams): Echo {
    return echo('GET', query);
  }

  @Post()
  @HttpCode(200)
  @Describe(described('Post', true))
  post(@Query() query: QueryParams, @Body() body: JsonBody = {}): Echo {
    return { ...echo('POST', query), body };
  }

  @Put()
  @Describe(described('Put', true))
  put(@Query() query: QueryParams, @Body() body: JsonBody = {}): Echo {
    return { ...echo('PUT', query), body };
  }

  @Delete()
  @Describe(described('Delete', false))
  delete(@Query() query: QueryParams): Echo {
    return echo('DELETE', query);
  }
}
