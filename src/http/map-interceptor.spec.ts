import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  HttpCode,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { map, of } from 'rxjs';
import { mapDirectly, MapInterceptor } from './map-interceptor.js';

/** How often an interceptor ran in Nest's own way. */
let chained = 0;

abstract class Marking extends MapInterceptor {
  override intercept(context: ExecutionContext, next: CallHandler) {
    chained++;
    return super.intercept(context, next);
  }
}

@Injectable()
class Inner extends Marking {
  protected override map(result: unknown, context: ExecutionContext): unknown {
    const { url } = context.switchToHttp().getRequest<{ url: string }>();
    const where = [context.getType(), context.getClass().name, context.getHandler().name, url];
    return { inner: result ?? null, where };
  }
}

@Injectable()
class Outer extends Marking {
  protected override map(result: unknown): unknown {
    if (JSON.stringify(result).includes('refuse')) throw new Error('refused by the interceptor');
    return { outer: result };
  }
}

@Injectable()
class Other implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(map((result: unknown) => ({ other: result })));
  }
}

@Controller()
@UseInterceptors(Outer, Inner)
class Mapped {
  @Get('object')
  object(): object {
    return { a: 1 };
  }
  @Get('promise')
  @HttpCode(202)
  promise(): Promise<object> {
    return Promise.resolve({ b: 2 });
  }
  @Get('nothing')
  nothing(): void {}
  @Get('observable')
  observable() {
    return of({ c: 3 });
  }
  @Get('throws')
  throws(): object {
    throw new Error('thrown by the handler');
  }
  @Get('rejects')
  rejects(): Promise<object> {
    return Promise.reject(new Error('rejected by the handler'));
  }
  @Get('refuse')
  refuse(): object {
    return { refuse: true };
  }
  @Get('mixed')
  @UseInterceptors(Other)
  mixed(): object {
    return { d: 4 };
  }
}

@Controller('plain')
class Plain {
  @Get()
  plain(): object {
    return { e: 5 };
  }
}

class Root {}

async function boot(direct: boolean): Promise<NestFastifyApplication> {
  const module = { module: Root, controllers: [Mapped, Plain] };
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
    logger: false,
    abortOnError: false,
  });
  if (direct) expect(mapDirectly(app)).toBe(true);
  app.useGlobalFilters({
    catch: (
      error: Error,
      host: { getArgByIndex(i: number): { status(n: number): { send(text: string): void } } },
    ) => host.getArgByIndex(1).status(500).send(error.message),
  } as never);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
}

describe('interceptors that only map', () => {
  let chain: NestFastifyApplication;
  let direct: NestFastifyApplication;
  beforeAll(async () => {
    chain = await boot(false);
    direct = await boot(true);
  });
  afterAll(() => Promise.all([chain.close(), direct.close()]));

  const ask = async (app: NestFastifyApplication, url: string) => {
    chained = 0;
    const { statusCode, body, headers } = await app.inject({ method: 'GET', url });
    return { result: [statusCode, headers['content-type'], body], chained };
  };

  it.each(['object', 'promise', 'nothing', 'observable', 'throws', 'rejects', 'refuse'])(
    'answer /%s as in a chain, without one',
    async (path) => {
      const wanted = await ask(chain, `/${path}`);
      const got = await ask(direct, `/${path}`);
      expect(got.result).toEqual(wanted.result);
      expect([wanted.chained, got.chained]).toEqual([2, 0]);
    },
  );

  it('run from the inside out', async () => {
    const { result } = await ask(direct, '/object');
    const where = ['http', 'Mapped', 'object', '/object'];
    expect(JSON.parse(String(result[2]))).toEqual({ outer: { inner: { a: 1 }, where } });
  });

  it('run in the chain beside others', async () => {
    const got = await ask(direct, '/mixed');
    expect(got).toEqual(await ask(chain, '/mixed'));
    expect(got.chained).toBe(2);
    expect(String(got.result[2])).toContain('"inner":{"other":{"d":4}}');
  });

  it('leave other routes alone', async () => {
    expect((await ask(direct, '/plain')).result).toEqual((await ask(chain, '/plain')).result);
  });

  it('stay in the chain of a Nest that keeps its parts elsewhere', () => {
    expect(mapDirectly({} as never)).toBe(false);
    expect(
      mapDirectly({ routesResolver: { routerExplorer: { executionContextCreator: {} } } } as never),
    ).toBe(false);
  });
});
