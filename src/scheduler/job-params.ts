import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import type { ParamsClass } from './cron-handler.js';

/** Characters of JSON, and levels of nesting, that params may have. */
const MAX_CHARACTERS = 65_536;
const MAX_LEVELS = 32;

/** Params that a handler accepts, or a sentence, beginning with "params", that says why it does not. */
export type CheckedParams = { readonly params: object } | { readonly fault: string };

/** Checks the params of a job for a handler. Missing params count as an empty object. */
export function checkParams(params: unknown, paramsClass: ParamsClass | null): CheckedParams {
  const given = params ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) return { fault: 'params must be a JSON object.' };
  if (levels(given) > MAX_LEVELS) return { fault: `params may be nested ${MAX_LEVELS} levels deep.` };
  if (JSON.stringify(given).length > MAX_CHARACTERS) {
    return { fault: `params may have at most ${MAX_CHARACTERS} characters of JSON.` };
  }
  if (!paramsClass) return { params: given };
  const unknownName = inheritedName(given, paramsClass);
  if (unknownName !== null) return { fault: `params: property ${unknownName} should not exist.` };
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

/**
 * A key that every object inherits or, at the top level, that is a method of the class; null if there is none.
 * class-transformer calls what it finds under `constructor`, and silently drops the others before the whitelist check.
 */
function inheritedName(params: object, paramsClass: ParamsClass): string | null {
  const methods = paramsClass.prototype as Record<string, unknown>;
  const isMethod = (key: string) => typeof methods[key] === 'function';
  const open: object[] = [params];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    for (const [key, inner] of Object.entries(value)) {
      if (key in Object.prototype || (value === params && isMethod(key))) return key;
      if (typeof inner === 'object' && inner !== null) open.push(inner as object);
    }
  }
  return null;
}

/** How deep a value is nested, up to just above the limit. Not recursive: hostile input could overflow the stack. */
function levels(value: object): number {
  let deep = 0;
  let layer: object[] = [value];
  while (layer.length && deep <= MAX_LEVELS) {
    deep++;
    layer = layer.flatMap((one) =>
      Object.values(one).filter((inner): inner is object => typeof inner === 'object' && inner !== null),
    );
  }
  return deep;
}

/** Rules about the type of a value. If one is broken, the rules about its size say nothing. */
const TYPE_RULES = new Set([
  'isDefined',
  'isString',
  'isInt',
  'isNumber',
  'isBoolean',
  'isArray',
  'isObject',
  'isDate',
  'isDateString',
  'isEnum',
  'nestedValidation',
]);

/** The broken rules of a property: those about its type first, then the others in the order of declaration. */
function rulesOf(error: ValidationError, path: string): string[] {
  // Decorators are applied from the last one up.
  const rules = Object.entries(error.constraints ?? {}).reverse();
  const ofType = rules.filter(([name]) => TYPE_RULES.has(name));
  const others = rules.filter(([name]) => !TYPE_RULES.has(name));
  const own = [...ofType, ...others].map(([, rule]) => `${path}: ${rule}.`);
  return [...own, ...(error.children ?? []).flatMap((child) => rulesOf(child, `${path}.${error.property}`))];
}
