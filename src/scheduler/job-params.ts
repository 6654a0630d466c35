import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import type { ParamsClass } from './cron-handler.js';

/** Characters of JSON, and levels of nesting, that params may have. */
const MAX_CHARACTERS = 65_536;
const MAX_LEVELS = 32;

/** Params that a handler accepts, or why it does not: a sentence that begins with "params". */
export type CheckedParams = { readonly params: object } | { readonly fault: string };

/** Checks the params of a job for a handler; none at all are an empty object. */
export function checkParams(params: unknown, paramsClass: ParamsClass | null): CheckedParams {
  const given = params ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) return { fault: 'params must be a JSON object.' };
  if (levels(given) > MAX_LEVELS) return { fault: `params may be nested ${MAX_LEVELS} levels deep.` };
  if (JSON.stringify(given).length > MAX_CHARACTERS) {
    return { fault: `params may have at most ${MAX_CHARACTERS} characters of JSON.` };
  }
  if (!paramsClass) return { params: given };
  const strange = inheritedName(given, paramsClass);
  if (strange !== null) return { fault: `params: property ${strange} should not exist.` };
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
 * A key that every object has anyway, or at the top that the class has as a method: class-transformer calls what it finds
 * under `constructor`, and leaves out the others without a word, so that the whitelist never sees them. null: there is none.
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

/** How deep a value is nested, as far as it matters; without recursion, which hostile depth could exhaust. */
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

/** What says that a value is of another type; the rules about its size mean nothing then. */
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

/** What is wrong with a property: its type first, then the rules in the order of declaration. */
function rulesOf(error: ValidationError, path: string): string[] {
  // Decorators are applied from the last one up.
  const rules = Object.entries(error.constraints ?? {}).reverse();
  const ofType = rules.filter(([name]) => TYPE_RULES.has(name));
  const others = rules.filter(([name]) => !TYPE_RULES.has(name));
  const own = [...ofType, ...others].map(([, rule]) => `${path}: ${rule}.`);
  return [...own, ...(error.children ?? []).flatMap((child) => rulesOf(child, `${path}.${error.property}`))];
}
