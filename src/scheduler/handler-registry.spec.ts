import { type INestApplicationContext, Injectable, Module, Scope, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { describe, expect, it } from '@jest/globals';
import { StartupError } from '../common/startup-error.js';
import { CronHandler, type CronTask } from './cron-handler.js';
import { HandlerRegistry } from './handler-registry.js';

const task = () =>
  class implements CronTask {
    run(): Promise<void> {
      return Promise.resolve();
    }
  };

async function registryOf(...providers: Type[]): Promise<HandlerRegistry> {
  class HandlersModule {}
  Module({ imports: [DiscoveryModule], providers: [HandlerRegistry, ...providers] })(HandlersModule);
  const app: INestApplicationContext = await NestFactory.createApplicationContext(HandlersModule, {
    logger: false,
    abortOnError: false,
  });
  try {
    return app.get(HandlerRegistry);
  } finally {
    await app.close();
  }
}

describe('the registry of handlers', () => {
  it('finds the providers that are marked, and no others', async () => {
    const B = task();
    const A = task();
    CronHandler('B')(B);
    CronHandler('A')(A);
    @Injectable()
    class Plain {}
    const registry = await registryOf(B, Plain, A);
    expect(registry.options()).toEqual([
      { label: 'A', value: 'A' },
      { label: 'B', value: 'B' },
    ]);
    expect(registry.get('A')?.task).toBeInstanceOf(A);
    expect(registry.get('constructor')).toBeNull();
  });

  it('a name that two have stops the start', async () => {
    const one = task();
    const two = task();
    CronHandler('Same')(one);
    CronHandler('Same')(two);
    await expect(registryOf(one, two)).rejects.toThrow(StartupError);
    await expect(registryOf(one, two)).rejects.toThrow(/@CronHandler\('Same'\).*the name is taken/);
  });

  it.each(['', '9lives', 'a b', '__proto__', 'x'.repeat(61)])('the name %j stops the start', async (name) => {
    const handler = task();
    CronHandler(name)(handler);
    await expect(registryOf(handler)).rejects.toThrow('a name is a letter');
  });

  it('a handler of each request, or without run, stops the start', async () => {
    const scoped = task();
    CronHandler('Scoped')(scoped);
    Injectable({ scope: Scope.REQUEST })(scoped);
    await expect(registryOf(scoped)).rejects.toThrow('the default scope');
    class Empty {}
    CronHandler('Empty')(Empty as never);
    await expect(registryOf(Empty)).rejects.toThrow('it needs a method run');
  });
});
