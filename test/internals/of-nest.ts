import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import vm from 'node:vm';
import { expect } from '@jest/globals';
import {
  type CallHandler,
  Controller,
  Get,
  HttpCode,
  type INestApplication,
  Query,
  RequestMethod,
  UseInterceptors,
} from '@nestjs/common';
import {
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/constants.js';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastify } from 'fastify';
import { InterceptorsConsumer, readQueryBy, runInterceptorsBy } from '../../src/http/nest-internals.js';
import { isOwnException } from '../../src/http/own-exceptions.js';
import type { Internal } from './internal.js';

class Nothing {
  intercept(_context: unknown, next: CallHandler) {
    return next.handle();
  }
}

@Controller({ path: 'asked', version: '7' })
@UseInterceptors(Nothing)
class Asked {
  @Get(['a', 'b'])
  @HttpCode(203)
  read(@Query('name') name: unknown, @Query() all: unknown): object {
    return { name, all };
  }
}

@Controller({ path: 'hosted', host: 'elsewhere.test' })
class Hosted {
  @Get()
  read(): object {
    return {};
  }
}

class Root {}

/** The answer of a route of an application whose Nest was changed before its routes were made. */
async function answerOf(url: string, change: (app: INestApplication) => void): Promise<unknown> {
  const module = { module: Root, controllers: [Asked, Hosted] };
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
    logger: false,
    abortOnError: false,
  });
  change(app);
  await app.init();
  const { body } = await app.inject({ method: 'GET', url });
  await app.close();
  return JSON.parse(body);
}

/** What is used of NestJS, Fastify and Jest. */
export const ofNest: readonly Internal[] = [
  {
    package: '@nestjs/core',
    member: 'InterceptorsConsumer: intercept, createContext, and where an application keeps it',
    files: ['src/http/nest-internals.ts', 'src/http/map-interceptor.ts'],
    holds: async () => {
      const seen: unknown[] = [];
      class Seeing extends InterceptorsConsumer {
        override intercept: InterceptorsConsumer['intercept'] = async (...call) => {
          const [interceptors, args, instance, callback, next, type] = call;
          const context = this.createContext(args, instance, callback);
          context.setType(type ?? 'none');
          seen.push(
            interceptors.map(({ constructor }) => constructor),
            context.getClass(),
            context.getType(),
          );
          seen.push(context.getHandler().name, context.getArgByIndex<{ url: string }>(0).url);
          return { next: await next() };
        };
      }
      const answer = await answerOf('/asked/a', (app) =>
        expect(runInterceptorsBy(app, new Seeing())).toBe(true),
      );
      expect(answer).toEqual({ next: { all: {} } });
      expect(seen).toEqual([[Nothing], Asked, 'http', 'read', '/asked/a']);
    },
  },
  {
    package: '@nestjs/core',
    member: 'RouteParamsFactory: exchangeKeyForValue, and where an application keeps it',
    files: ['src/http/nest-internals.ts', 'src/http/query-by-name.ts'],
    holds: async () => {
      const read = (query: unknown, name: string) => [query, name];
      const answer = await answerOf('/asked/a?name=x', (app) => expect(readQueryBy(app, read)).toBe(true));
      expect(answer).toEqual({ name: [{ name: 'x' }, 'name'], all: { name: 'x' } });
    },
  },
  {
    package: '@nestjs/core',
    member: 'the message for a route that is bound to another host',
    files: ['src/http/own-exceptions.ts'],
    holds: async () => {
      const caught: boolean[] = [];
      await answerOf('/hosted', (app) =>
        app.useGlobalFilters({
          catch: (error: unknown, host) => {
            caught.push(isOwnException(error));
            host.switchToHttp().getResponse<{ send(body: object): void }>().send({});
          },
        }),
      );
      expect(caught).toEqual([false]);
    },
  },
  {
    package: '@nestjs/common',
    member: 'the metadata of its decorators',
    files: ['src/openapi-model/routes.ts'],
    holds: () => {
      const read = Object.getOwnPropertyDescriptor(Asked.prototype, 'read')?.value as object;
      const of = (key: string, target: object): unknown => Reflect.getMetadata(key, target);
      expect([of(PATH_METADATA, Asked), of(VERSION_METADATA, Asked)]).toEqual(['asked', '7']);
      expect([of(METHOD_METADATA, read), of(PATH_METADATA, read), of(HTTP_CODE_METADATA, read)]).toEqual([
        RequestMethod.GET,
        ['a', 'b'],
        203,
      ]);
    },
  },
  {
    package: 'fastify',
    member: 'serializers may return a Buffer or null, and a query may be any object',
    files: ['src/http/payload.ts', 'src/http/tag-when-sent.ts', 'src/http/server.ts'],
    holds: async () => {
      const query = new Map([['a', 'b']]);
      const querystringParser = () => query as object as Record<string, unknown>;
      const app = fastify({ routerOptions: { querystringParser } });
      const payloads: unknown[] = [];
      app.addHook('onSend', (_request, _reply, payload, done) => {
        payloads.push(payload);
        done(null, payload);
      });
      const texts = { '/bytes': Buffer.from('{}'), '/nothing': null };
      for (const [path, text] of Object.entries(texts))
        app.get(path, (request, reply) => {
          expect(request.query).toBe(query);
          return reply.serializer(() => text as never).send({});
        });
      app.setReplySerializer(() => texts['/bytes'] as never);
      app.get('/default', () => ({}));
      const answers = [];
      for (const path of ['/bytes', '/nothing', '/default'])
        answers.push((await app.inject(`${path}?a=b`)).body);
      expect(answers).toEqual(['{}', '', '{}']);
      expect(payloads).toEqual([texts['/bytes'], null, texts['/bytes']]);
      await app.close();
    },
  },
  {
    package: 'fastify',
    member: 'one listener for requests, on the server that it has made',
    files: ['src/http/pipelining.ts'],
    holds: () => expect(fastify().server.listenerCount('request')).toBe(1),
  },
  {
    package: '@fastify/swagger-ui',
    member: 'the names of its static files',
    files: ['src/openapi/docs.controller.ts'],
    holds: () => {
      const { resolve } = createRequire(import.meta.url);
      for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'])
        expect(existsSync(resolve(`@fastify/swagger-ui/static/${name}`))).toBe(true);
    },
  },
  {
    package: 'jest',
    member: 'how its runtime makes modules and functions: all of them in the process’s own context',
    files: ['test/jest/environment.cjs', 'test/jest/native-module.cjs'],
    holds: () => expect(vm.runInThisContext('Array')).toBe(Array),
  },
];
