import { Injectable } from '@nestjs/common';
import type { Logger } from 'pino';

/** A class whose class-validator decorators say what `params` may be. */
export type ParamsClass<P extends object = object> = new () => P;

/** What a handler is told beside its params. */
export interface CronContext {
  /** Aborted when the run is over time, taken over, deleted or given back: stop, and change nothing more. */
  readonly signal: AbortSignal;
  /** Its lines carry the handler, the tick and the try. */
  readonly log: Logger;
  /** The tick, as an ISO date-time. */
  readonly scheduledFor: string;
  /** Which try this is, from 1. */
  readonly attempt: number;
}

/**
 * A background task. To throw, or to reject, is to fail: the run is tried again after 1, 2 and 4 minutes. What it returns
 * is ignored. A run may happen again after its instance died in the middle, so it should not mind being repeated.
 */
export interface CronTask<P extends object = object> {
  run(params: P, context: CronContext): Promise<unknown>;
}

/** What {@link CronHandler} says of a class. */
export interface HandlerOptions {
  readonly name: string;
  readonly params: ParamsClass | null;
}

const HANDLER = Symbol('kindred:cron-handler');
const NAME = /^[A-Za-z][A-Za-z0-9]{0,59}$/;

/**
 * Makes a provider a handler that CronJob records can name. List it in the `providers` of any module.
 * @param options.params checks and types `params` when a CronJob is saved and before each run; without it any object will do
 */
export function CronHandler<P extends object>(name: string, options: { params?: ParamsClass<P> } = {}) {
  return (target: new (...dependencies: never[]) => CronTask<P>): void => {
    Injectable()(target);
    Reflect.defineMetadata(
      HANDLER,
      { name, params: options.params ?? null } satisfies HandlerOptions,
      target,
    );
  };
}

/** What {@link CronHandler} said of a class; null for every other class. */
export function handlerOptions(target: object): HandlerOptions | null {
  return (Reflect.getOwnMetadata(HANDLER, target) as HandlerOptions | undefined) ?? null;
}

/** Whether a name can be one of a handler. */
export const isHandlerName = (name: string) => NAME.test(name);
