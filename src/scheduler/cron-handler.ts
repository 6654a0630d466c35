import { Injectable } from '@nestjs/common';
import type { Logger } from 'pino';

/** A class whose class-validator decorators describe valid `params`. */
export type ParamsClass<P extends object = object> = new () => P;

/** What a handler gets beside its params. */
export interface CronContext {
  /** Aborted when the run has timed out, or was taken over, deleted or given back. Stop then, and change nothing more. */
  readonly signal: AbortSignal;
  /** Adds the handler, the tick and the attempt to each line. */
  readonly log: Logger;
  /** The tick, as an ISO date-time. */
  readonly scheduledFor: string;
  /** Which try this is, from 1. */
  readonly attempt: number;
}

/**
 * A background task. A run that throws or rejects has failed, and is retried after 1, 2 and 4 minutes. The return value is
 * ignored. A run is repeated if its instance dies in the middle, so it should be idempotent.
 */
export interface CronTask<P extends object = object> {
  run(params: P, context: CronContext): Promise<unknown>;
}

/** The options that {@link CronHandler} stores on a class. */
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

/** The options of a handler class; null for any other class. */
export function handlerOptions(target: object): HandlerOptions | null {
  return (Reflect.getOwnMetadata(HANDLER, target) as HandlerOptions | undefined) ?? null;
}

/** Whether a handler may have this name. */
export const isHandlerName = (name: string) => NAME.test(name);
