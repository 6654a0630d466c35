import { types } from 'node:util';

/** Whether something thrown is an Error, also one of another realm (worker, `vm` context), where `instanceof` fails. */
export const isError = (value: unknown): value is Error =>
  types.isNativeError(value) || value instanceof Error;
