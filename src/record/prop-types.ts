import type { ColumnOptions } from 'typeorm';
import { invalid } from '../http/errors.js';
import { parseDate } from './dates.js';
import { codePoints, fold, foldedLength, INVISIBLE } from './formats.js';
import type { Ids } from './ids.js';
import type { PropDef, PropTypeName } from './prop.js';

/** What PostgreSQL is handed as a parameter, and what the reader gives back (json: the parsed value). */
export type DbValue = string | number | boolean | null;

/** The contract of one prop type. Nothing else in the engine asks which type a prop has. */
export interface PropType {
  /** The column, without name and nullability; null for a prop that is not stored. */
  column(prop: PropDef): ColumnOptions | null;
  /** A value of a JSON body (never null or undefined). Throws 442, naming the prop and the rule. */
  parse(value: unknown, prop: PropDef, ids: Ids): DbValue;
  /** A value of a query string (never empty). Throws 442. */
  parseText(text: string, prop: PropDef, ids: Ids): DbValue;
  /** The stored value as it stands in `props`; ids are spliced in by describe.ts. */
  readonly output: (value: unknown) => unknown;
  /** Which qualifier operators make sense: order, or only equality. */
  readonly ordered: boolean;
  readonly sortable: boolean;
}

const same = (value: unknown) => value;

const boolean: PropType = {
  column: (prop) => ({ type: 'boolean', default: prop.default }),
  parse(value, prop) {
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw invalid(prop.name, `${prop.name} must be true or false.`);
  },
  parseText: (text, prop, ids) => boolean.parse(text, prop, ids),
  output: same,
  ordered: false,
  sortable: true,
};

const int: PropType = {
  column: (prop) => ({
    type: 'bigint',
    default: prop.default,
    // For services that use the repository: a number, as in the API.
    transformer: { to: same, from: (v: string | null) => (v === null ? null : Number(v)) },
  }),
  parse(value, prop) {
    const min = prop.min ?? Number.MIN_SAFE_INTEGER;
    const max = prop.max ?? Number.MAX_SAFE_INTEGER;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) {
      throw invalid(prop.name, `${prop.name} must be a whole number from ${min} to ${max}.`);
    }
    return value === 0 ? 0 : value; // -0 is 0
  },
  parseText(text, prop) {
    if (!/^-?\d{1,16}$/.test(text) || !Number.isSafeInteger(Number(text))) {
      throw invalid(prop.name, `${prop.name} is compared with a whole number, in digits.`);
    }
    return Number(text);
  },
  output: (value) => (value === null ? null : Number(value)),
  ordered: true,
  sortable: true,
};

const date: PropType = {
  column: () => ({ type: 'timestamptz', precision: 3 }),
  parse(value, prop) {
    const parsed = typeof value === 'string' ? parseDate(value) : null;
    if (parsed === null)
      throw invalid(prop.name, `${prop.name} must be a date such as 2026-01-31T12:00:00.000Z.`);
    return parsed;
  },
  parseText: (text, prop, ids) => date.parse(text, prop, ids),
  output: same,
  ordered: true,
  sortable: true,
};

const enumeration: PropType = {
  column: (prop) => ({ type: 'varchar', length: 256, default: prop.default }),
  parse(value, prop) {
    // With a dynamic list (`options`) the service's list is the rule; assign.ts asks it.
    if (typeof value !== 'string' || (!prop.options && !prop.enums?.includes(value))) {
      throw invalid(prop.name, `${prop.name} must be one of: ${(prop.enums ?? []).join(', ')}.`);
    }
    return value;
  },
  parseText: (text, prop, ids) => enumeration.parse(text, prop, ids),
  output: same,
  ordered: false,
  sortable: true,
};

const string: PropType = {
  column: (prop) => {
    if (prop.writeOnly) return null;
    const length = prop.length ?? 1;
    return { ...(length > 256 ? { type: 'text' } : { type: 'varchar', length }), default: prop.default };
  },
  parse(value, prop) {
    if (typeof value !== 'string') throw invalid(prop.name, `${prop.name} must be a text.`);
    const length = codePoints(value);
    if (prop.length !== undefined && length > prop.length) {
      throw invalid(prop.name, `${prop.name} may have at most ${prop.length} characters.`);
    }
    if (prop.minLength !== undefined && length < prop.minLength) {
      throw invalid(prop.name, `${prop.name} must have at least ${prop.minLength} characters.`);
    }
    if (prop.uniqueCaseInsensitive) checkIdentity(value, prop);
    if (prop.format && value !== '' && !prop.format.test(value)) {
      throw invalid(prop.name, `${prop.name} must be ${prop.format.rule}.`);
    }
    return value;
  },
  parseText: same as (text: string) => string,
  output: same,
  ordered: true,
  sortable: true,
};

const json: PropType = {
  column: () => ({ type: 'jsonb' }),
  parse: (value) => JSON.stringify(value),
  parseText(_text, prop) {
    throw invalid(prop.name, `${prop.name} can’t be compared.`);
  },
  output: same,
  ordered: false,
  sortable: false,
};

const id: PropType = {
  column: () => ({ type: 'bigint' }),
  parse(value, prop, ids) {
    const kind = prop.idOf ?? '';
    const row = typeof value === 'string' ? ids.decode(kind, value) : null;
    if (row === null) throw invalid(prop.name, `${prop.name} must be the id of a record of kind ${kind}.`);
    return row;
  },
  parseText(text, prop, ids) {
    // `allowRealPubicId`: the one place where a plain integer is understood.
    if (prop.allowRealPubicId && /^[1-9]\d{0,17}$/.test(text)) return text;
    return id.parse(text, prop, ids);
  },
  output: same,
  ordered: false,
  sortable: true,
};

const virtual: PropType = {
  column: () => null,
  parse(_value, prop) {
    throw invalid(prop.name, `${prop.name} is a list of records and can’t be set.`);
  },
  parseText: (text, prop, ids) => virtual.parse(text, prop, ids),
  output: same,
  ordered: false,
  sortable: false,
};

/** Prop type name → its behaviour. */
export const PROP_TYPES: Readonly<Record<PropTypeName, PropType>> = {
  boolean,
  int,
  date,
  enum: enumeration,
  string,
  json,
  id,
  virtual,
};

/** A text that names somebody: nothing invisible in it, and its folded form fits its column. */
function checkIdentity(value: string, prop: PropDef): void {
  if (INVISIBLE.test(value) || INVISIBLE.test(value.normalize('NFKC')) || value !== value.trim()) {
    throw invalid(prop.name, `${prop.name} must not hold invisible characters or begin or end with a blank.`);
  }
  if (codePoints(fold(value)) > foldedLength(prop.length ?? 0)) {
    throw invalid(prop.name, `${prop.name} may have at most ${prop.length ?? 0} characters.`);
  }
}
