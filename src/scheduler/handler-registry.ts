import { Inject, Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { StartupError } from '../common/startup-error.js';
import type { Option } from '../record/response/options.js';
import { type Tracing, TRACING } from '../common/tracing.js';
import { type CronTask, handlerOptions, isHandlerName, type ParamsClass } from './cron-handler.js';

/** A handler, found at the start. */
export interface RegisteredHandler {
  readonly name: string;
  readonly params: ParamsClass | null;
  readonly task: CronTask;
}

/** All handlers of the service, by name: the providers that carry @CronHandler. */
@Injectable()
export class HandlerRegistry implements OnModuleInit {
  private readonly handlers = new Map<string, RegisteredHandler>();

  constructor(
    private readonly discovery: DiscoveryService,
    @Optional() @Inject(TRACING) private readonly tracing: Tracing | null = null,
  ) {}

  /** @throws StartupError for a handler that can't be used, or a name that two have */
  onModuleInit(): void {
    for (const wrapper of this.discovery.getProviders()) {
      const { metatype, isAlias } = wrapper;
      const instance: unknown = wrapper.isDependencyTreeStatic() ? wrapper.instance : null;
      const options = typeof metatype === 'function' && !isAlias ? handlerOptions(metatype) : null;
      if (metatype && options) this.add(options.name, options.params, metatype.name, instance);
    }
  }

  get(name: string): RegisteredHandler | null {
    return this.handlers.get(name) ?? null;
  }

  /** The choices for a CronJob's `handler`, by name. */
  options(): readonly Option[] {
    return [...this.handlers.keys()].sort().map((name) => ({ label: name, value: name }));
  }

  private add(name: string, params: ParamsClass | null, className: string, task: unknown): void {
    const fail = (fix: string) => {
      throw new StartupError(`@CronHandler('${name}') on ${className}: ${fix}`);
    };
    if (!isHandlerName(name)) fail('a name is a letter, then letters and digits, at most 60.');
    if (this.handlers.has(name))
      fail('the name is taken by another handler, or it is provided twice; rename or remove one.');
    if (!isTask(task)) fail('it needs a method run(params, context), and the default scope.');
    else
      this.handlers.set(name, { name, params, task: this.tracing ? traced(name, task, this.tracing) : task });
  }
}

/** The task with a span around each try. */
function traced(name: string, task: CronTask, tracing: Tracing): CronTask {
  return {
    run: (params, context) => tracing.job(name, context.attempt, () => task.run(params, context)),
  };
}

function isTask(value: unknown): value is CronTask {
  return typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';
}
