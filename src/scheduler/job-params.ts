import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import type { ParamsClass } from './cron-handler.js';

/** Characters of JSON, and levels of nesting, that params may have. */
const MOST_CHARACTERS = 65_536;
const MOST_LEVELS = 32;

/** Params that a handler accepts, or why it does not: a sentence that begins with "params". */
export type CheckedParams = { readonly params: object } | { readonly fault: string };

/** Checks the params of a job for a handler; none at all are an empty object. */
export function checkParams(params: unknown, paramsClass: ParamsClass | null): CheckedParams {
  const given = params ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) return { fault: 'params must be a JSON object.' };
  if (levels(given) > MOST_LEVELS) return { fault: `params may be nested ${MOST_LEVELS} levels deep.` };
  if (JSON.stringify(given).length > MOST_CHARACTERS) {
    return { fault: `params may have at most ${MOST_CHARACTERS} characters of JSON.` };
  }
  if (!paramsClass) return { params: given };
  const instance = plainToInstance(paramsClass, given);
  const errors = validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    // A class without any rule accepts nothing.
    forbidUnknownValues: false,
  });
  const [rule] = errors.flatMap((error) => rulesOf(error, 'params'));
  return rule === undefined ? { params: instance } : { fault: rule };
}

/** How deep a value is nested, as far as it matters; without recursion, which hostile depth could exhaust. */
function levels(value: object): number {
  let deep = 0;
  let layer: object[] = [value];
  while (layer.length && deep <= MOST_LEVELS) {
    deep++;
    layer = layer.flatMap((one) =>
      Object.values(one).filter((inner): inner is object => typeof inner === 'object' && inner !== null),
    );
  }
  return deep;
}

function rulesOf(error: ValidationError, path: string): string[] {
  const own = Object.values(error.constraints ?? {}).map((rule) => `${path}: ${rule}.`);
  return [...own, ...(error.children ?? []).flatMap((child) => rulesOf(child, `${path}.${error.property}`))];
}
