type TypeName = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string';

/** A JSON Schema of the dialect 2020-12, which OpenAPI 3.1 uses: the keywords that Kindred writes. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: TypeName | readonly TypeName[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly writeOnly?: boolean;
}

/** Schemas by the name of what they describe. */
export type Schemas = Readonly<Record<string, JsonSchema>>;

/** An object; by default all of its properties are required. */
export function objectOf(
  properties: Schemas,
  required: readonly string[] = Object.keys(properties),
): JsonSchema {
  return { type: 'object', properties, ...(required.length ? { required } : {}) };
}

/** The same schema, which also accepts null. */
export function orNull(schema: JsonSchema): JsonSchema {
  if (schema.$ref !== undefined) return { anyOf: [schema, { type: 'null' }] };
  if (schema.anyOf) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  if (schema.type === undefined) return schema;
  const values = schema.enum ? { enum: [...schema.enum, null] } : {};
  return { ...schema, ...values, type: [schema.type, 'null'].flat() as TypeName[] };
}

/** A date in a response. */
export const DATE_TIME: JsonSchema = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
  examples: ['2026-01-31T12:00:00.000Z'],
};
