import type { ColumnOptions } from 'typeorm';
import { invalid } from '../../common/errors.js';
import { DATE_TIME, type JsonSchema } from '../../openapi-model/json-schema.js';
import { DATE_FORM, parseDate } from '../../common/dates.js';
import { codePoints, fold, foldedLength, INVISIBLE } from './formats.js';
import { EXAMPLE_ID, ID_FORM, ID_SCHEMA, type Ids } from '../ids/ids.js';
import type { PropDef, PropTypeName } from './prop.js';
import { COLLATION, oneForm } from './texts.js';

/** A parameter of a statement, or a value of a row (json: the parsed value). */
export type DbValue = string | number | boolean | null;

/** The behaviour of one prop type. Nothing else in the engine depends on the type of a prop. */
export interface PropType {
  /** The column, without name and nullability; null for a prop that is not stored. */
  column(prop: PropDef): ColumnOptions | null;
  /** A value of a JSON body (never null or undefined). Throws 442, naming the prop and the rule. */
  parse(value: unknown, prop: PropDef, ids: Ids): DbValue;
  /** A value of a query string (never empty). Throws 442. */
  parseText(text: string, prop: PropDef, ids: Ids): DbValue;
  /**
   * Returns a function that turns a stored value, or null, into the one in `props`; serialize.ts adds ids. The function
   * returns undefined for a value that the schema does not allow, such as a date in the year 20000.
   */
  readonly output: (prop: PropDef) => (value: unknown) => unknown;
  /** Which qualifier operators make sense: order, or only equality. */
  readonly ordered: boolean;
  readonly sortable: boolean;
  /** The schemas of its values, except null. */
  schemas(prop: PropDef): PropSchemas;
}

/** The values of a prop as JSON Schema. */
export interface PropSchemas {
  /** What {@link PropType.parse} accepts. The first of its `examples` is a valid value. */
  readonly body: JsonSchema;
  /** The values in `props`. */
  readonly response: JsonSchema;
  /** What {@link PropType.parseText} accepts: a pattern without anchors (null: any), and the equivalent JSON values. */
  readonly text: { readonly pattern: string | null; readonly json?: JsonSchema };
}

const identity = (value: unknown) => value;
const passThrough = () => identity;
/** Beyond 2^53, JSON numbers are not exact. */
const safeInteger = (value: unknown) => {
  const n = value === null ? null : Number(value);
  return n === null || Number.isSafeInteger(n) ? n : undefined;
};
/** Only years with four digits have the API's format (pg-values.ts). */
const isoDate = (value: unknown) =>
  value === null || (typeof value === 'string' && value.endsWith('Z')) ? value : undefined;
const literal = (text: unknown) => String(text).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

const boolean: PropType = {
  column: (prop) => ({ type: 'boolean', default: prop.default }),
  parse(value, prop) {
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw invalid(prop.name, `${prop.name} must be true or false.`);
  },
  parseText: (text, prop, ids) => boolean.parse(text, prop, ids),
  output: passThrough,
  ordered: false,
  sortable: true,
  schemas: (prop) => ({
    body: {
      type: ['boolean', 'string'],
      enum: [true, false, 'true', 'false'],
      examples: [prop.default === true],
    },
    response: { type: 'boolean' },
    text: { pattern: 'true|false', json: { type: 'boolean' } },
  }),
};

const int: PropType = {
  column: (prop) => ({
    type: 'bigint',
    default: prop.default,
    // For services that use the repository: a number, as in the API.
    transformer: { to: identity, from: (v: string | null) => (v === null ? null : Number(v)) },
  }),
  parse(value, prop) {
    const { min, max } = boundsOf(prop);
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
  output: () => safeInteger,
  ordered: true,
  sortable: true,
  schemas(prop) {
    const { min: minimum, max: maximum } = boundsOf(prop);
    const whole: JsonSchema = { type: 'integer', minimum, maximum };
    const example = prop.example ?? prop.default ?? Math.max(minimum, Math.min(1, maximum));
    return {
      body: { ...whole, examples: [example] },
      response: whole,
      text: { pattern: '-?\\d{1,16}', json: { type: 'integer' } },
    };
  },
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
  output: () => isoDate,
  ordered: true,
  sortable: true,
  schemas: () => ({
    body: { type: 'string', pattern: `^${DATE_FORM}$`, examples: DATE_TIME.examples },
    response: DATE_TIME,
    text: { pattern: DATE_FORM },
  }),
};

const MAX_ENUM_CHARACTERS = 256;

const enumeration: PropType = {
  column: (prop) => ({
    type: 'varchar',
    length: MAX_ENUM_CHARACTERS,
    default: prop.default,
    collation: COLLATION,
  }),
  parse(value, prop) {
    const text = typeof value === 'string' ? oneForm(value) : null;
    // A dynamic list (`options`) is checked by change-set.ts.
    if (text === null || (!prop.options && !prop.enums?.includes(text))) {
      throw invalid(prop.name, `${prop.name} must be one of: ${(prop.enums ?? []).join(', ')}.`);
    }
    return text;
  },
  parseText: (text, prop, ids) => enumeration.parse(text, prop, ids),
  output(prop) {
    if (prop.options || !prop.enums) return identity; // with a dynamic list, what was in it once stays
    const listed = new Set<unknown>([null, ...prop.enums]);
    return (value) => (listed.has(value) ? value : undefined);
  },
  ordered: false,
  sortable: true,
  schemas(prop) {
    const values = prop.enums ?? [];
    const one: JsonSchema = prop.options
      ? { type: 'string', maxLength: MAX_ENUM_CHARACTERS }
      : { type: 'string', enum: values };
    return {
      body: { ...one, examples: [prop.default ?? values[0]] },
      response: one,
      text: { pattern: prop.options ? null : values.map(literal).join('|') },
    };
  },
};

const string: PropType = {
  column: (prop) => {
    if (prop.writeOnly) return null;
    const length = prop.length ?? 1;
    const type = length > 256 ? ({ type: 'text' } as const) : ({ type: 'varchar', length } as const);
    // An empty text in an optional prop is none, also as its default.
    const preset = prop.default === '' && !prop.required ? undefined : prop.default;
    return { ...type, default: preset, collation: COLLATION };
  },
  parse(given, prop) {
    if (typeof given !== 'string') throw invalid(prop.name, `${prop.name} must be a string.`);
    const value = oneForm(given);
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
  parseText: oneForm,
  output: passThrough,
  ordered: true,
  sortable: true,
  schemas(prop) {
    const format = prop.format?.schemaFormat;
    const text: JsonSchema = { type: 'string', maxLength: prop.length, ...(format && { format }) };
    const minLength = prop.minLength ?? (prop.required ? 1 : 0); // an empty text is none
    const own = prop.example ?? prop.format?.example;
    // Of a format or a list that says no example, none is known.
    const isFree = !prop.format && !prop.options;
    const example = own ?? (isFree ? prop.name.slice(0, prop.length).padEnd(minLength, 'x') : null);
    return {
      body: {
        ...text,
        ...(minLength && { minLength }),
        ...(prop.format?.pattern !== undefined && { pattern: prop.format.pattern }),
        ...(example !== null && { examples: [example] }),
        ...(prop.writeOnly && { writeOnly: true }),
      },
      response: own === undefined ? text : { ...text, examples: [own] },
      text: { pattern: null },
    };
  },
};

const json: PropType = {
  column: () => ({ type: 'jsonb' }),
  parse: (value) => JSON.stringify(value),
  parseText(_text, prop) {
    throw invalid(prop.name, `${prop.name} can’t be compared.`);
  },
  output: passThrough,
  ordered: false,
  sortable: false,
  schemas: () => ({ body: { examples: [{}] }, response: {}, text: { pattern: null } }),
};

const REAL_ID = /^[1-9]\d{0,17}$/;

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
    if (prop.allowRealPubicId && REAL_ID.test(text)) return text;
    return id.parse(text, prop, ids);
  },
  output: passThrough,
  ordered: false,
  sortable: true,
  schemas(prop) {
    const text = { pattern: prop.allowRealPubicId ? `${ID_FORM}|${REAL_ID.source.slice(1, -1)}` : ID_FORM };
    return { body: ID_SCHEMA, response: { ...ID_SCHEMA, examples: [EXAMPLE_ID] }, text };
  },
};

const virtual: PropType = {
  column: () => null,
  parse(_value, prop) {
    throw invalid(prop.name, `${prop.name} is a list of records and can’t be set.`);
  },
  parseText: (text, prop, ids) => virtual.parse(text, prop, ids),
  output: passThrough,
  ordered: false,
  sortable: false,
  schemas: () => ({ body: {}, response: {}, text: { pattern: null } }),
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

/** The bounds of an int prop. */
function boundsOf(prop: PropDef): { min: number; max: number } {
  return { min: prop.min ?? Number.MIN_SAFE_INTEGER, max: prop.max ?? Number.MAX_SAFE_INTEGER };
}

/** Checks a text that identifies somebody: no invisible characters, and a folded form that fits its column. */
function checkIdentity(value: string, prop: PropDef): void {
  if (INVISIBLE.test(value) || INVISIBLE.test(value.normalize('NFKC')) || value !== value.trim()) {
    throw invalid(prop.name, `${prop.name} must not hold invisible characters or begin or end with a blank.`);
  }
  if (codePoints(fold(value)) > foldedLength(prop.length ?? 0)) {
    throw invalid(prop.name, `${prop.name} may have at most ${prop.length ?? 0} characters.`);
  }
}
