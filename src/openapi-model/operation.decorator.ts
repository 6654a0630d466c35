import { SetMetadata } from '@nestjs/common';
import { StartupError } from '../common/startup-error.js';
import type { ErrorName } from '../common/errors.js';
import type { JsonSchema, Schemas } from './json-schema.js';

/** The content of a successful response. */
export type OperationResponse =
  /** The envelope of one record of that kind; `created`: with what only the create answer shows. */
  | { readonly record: string; readonly created?: boolean }
  /** A page of records of that kind. */
  | { readonly list: string }
  /** The option lists of that kind. */
  | { readonly options: string }
  /** Any other JSON object. */
  | { readonly json: JsonSchema }
  /** Bytes of that media type or range; they may also be 304 and 206 where the operation says so. */
  | { readonly bytes: string; readonly also?: Readonly<Record<string, string>> }
  | { readonly nothing: string };

/** A JSON body, or the bytes of a file. */
export type BodyOf = JsonBody | { readonly bytes: true };

/** A JSON body. */
export interface JsonBody {
  /** A schema, or the body that creates or changes records of a kind. */
  readonly schema: JsonSchema | { readonly create: string } | { readonly update: string };
  /** Bodies that work, by name. */
  readonly examples?: Readonly<Record<string, unknown>>;
  /** By default a body must be there. */
  readonly optional?: boolean;
}

/** A query parameter that only this operation has. */
export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly required?: boolean;
}

/** An operation of the API, as the OpenAPI document describes it. Method, path, status and access come from the route. */
export interface Operation {
  /** Unique in the API: what generated clients call it. */
  readonly id: string;
  /** The chapter; by default the kind whose path the controller has. */
  readonly tag?: string;
  readonly summary: string;
  /** Markdown; by default the summary. */
  readonly description?: string;
  /** The end of the path instead of `:relation`. */
  readonly relation?: string;
  /** The path parameters that need another description than "the record's id". */
  readonly path?: Schemas;
  readonly query?: readonly QueryParameter[];
  readonly body?: BodyOf;
  readonly response: OperationResponse;
  /** Headers of the successful response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Its version of the API will be switched off. */
  readonly deprecated?: boolean;
  /** It changes a record, under the conditions of `If-Match` and `If-None-Match`. */
  readonly conditional?: boolean;
  /**
   * Errors beside those that every operation has: names of the catalogue, and statuses of HTTP exceptions that the route
   * itself throws.
   */
  readonly errors?: readonly (ErrorName | number)[];
}

/**
 * A standard operation of a kind (openapi-operations.ts), whose route leaves the access to the kind's declaration: whether
 * that lets anybody in without a session. Any other operation needs one where its route says `@Access('login')`.
 */
export interface KindOperation extends Operation {
  readonly session: 'needed' | 'optional';
}

/**
 * An operation, or what makes it from the kind whose path the controller has: one, several in place of a `:relation`,
 * or none where the kind's declaration closes the route to everybody. Null: not part of the API, such as a page.
 */
export type OperationSource<K> = Operation | ((kind: K) => Operation | readonly KindOperation[]) | null;

/** The metadata key that {@link Describe} writes. */
export const OPERATION_KEY = 'kindred:operation';

/**
 * Describes a route for the OpenAPI document.
 * @throws StartupError if it describes access, which only `@Access` does
 */
export function Describe<K>(source: OperationSource<K>): ReturnType<typeof SetMetadata> {
  if (source && typeof source !== 'function' && 'session' in source) {
    throw new StartupError(
      `@Describe of ${source.id} says "session", which would keep nobody out: write @Access('login') beside it instead.`,
    );
  }
  return SetMetadata(OPERATION_KEY, source);
}
