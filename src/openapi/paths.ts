import { CATALOGUE, type ErrorName } from '../common/errors.js';
import type { KindGraph } from '../record/schema/kind-graph.js';
import { includeParameters, listParameters } from '../record/openapi/parameters.js';
import {
  createSchema,
  listSchema,
  optionsSchema,
  recordSchema,
  updateSchema,
} from '../record/openapi/schemas.js';
import { ID_SCHEMA } from '../record/ids/ids.js';
import type { Components } from '../openapi-model/components.js';
import type { JsonSchema } from '../openapi-model/json-schema.js';
import type { ServedKind } from '../record/openapi/served-kind.js';
import type {
  OperationResponse,
  BodyOf,
  JsonBody,
  KindOperation,
  Operation,
} from '../openapi-model/operation.decorator.js';
import type { Route } from '../openapi-model/routes.js';
import { anyError, errorResponse, ownErrorResponse, REQUEST_ID } from '../openapi-model/shared-schemas.js';

const sentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`);

/** The name of the security scheme. */
export const SESSION_SCHEME = 'session';

const CONDITIONS = {
  'If-Match': 'Entity tags, or `*`: a record of another version is not changed (412).',
  'If-None-Match':
    'Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412.',
} as const;
const NOT_MODIFIED = 'The answer would be the one that `If-None-Match` names.';

const ETAG = {
  ETag: {
    description: 'The version of the record in this form, for `If-Match` and `If-None-Match`.',
    schema: { type: 'string' },
  },
};
const JSON_TYPE = 'application/json';
/** Failures that any operation may have, but for those that look at nothing. */
const ALWAYS: readonly ErrorName[] = ['malformed', 'unavailable'];

/** An Operation Object, as far as the rest of the document looks into it. */
export interface WrittenOperation {
  readonly tags: readonly string[];
  readonly [field: string]: unknown;
}

/** Turns operations into OpenAPI's Operation Objects, and collects the components that they need. */
export class OperationWriter {
  constructor(
    private readonly graph: KindGraph,
    private readonly serve: (kind: string) => ServedKind,
    private readonly components: Components,
  ) {}

  /** The kind whose path the controller has. */
  kindOf(route: Route): ServedKind | null {
    const kind = this.graph.all().find(({ path }) => path === route.base);
    return kind ? this.serve(kind.kind) : null;
  }

  /** Path template and Operation Object. */
  write(route: Route, operation: Operation | KindOperation): { path: string; operation: WrittenOperation } {
    const path = route.path.replace(':relation', operation.relation ?? '').replace(/:(\w+)/g, '{$1}');
    const isNeeded = route.access === 'login' || ('session' in operation && operation.session === 'needed');
    const isOpen = route.access === 'open' || route.access === undefined;
    const parameters = [...this.pathParameters(path, operation), ...this.queryParameters(route, operation)];
    const { body } = operation;
    return {
      path,
      operation: {
        operationId: operation.id,
        tags: [operation.tag ?? this.kindOf(route)?.kind.kind ?? 'Service'],
        summary: operation.summary,
        description: operation.description ?? sentence(operation.summary),
        ...(operation.deprecated && { deprecated: true }),
        security: isOpen ? [] : isNeeded ? [scheme] : [scheme, {}],
        ...(parameters.length && { parameters }),
        ...(body && { requestBody: this.requestBody(body) }),
        responses: this.responses(route, operation, isOpen),
      },
    };
  }

  private pathParameters(path: string, { path: given = {} }: Operation): object[] {
    return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
      const { description = 'The id of the record.', ...schema } = given[name] ?? ID_SCHEMA;
      return { name, in: 'path', required: true, description, schema };
    });
  }

  private queryParameters(route: Route, { response, query = [], conditional }: Operation): object[] {
    const own = query.map((parameter) => ({ ...parameter, in: 'query' }));
    const of =
      'record' in response
        ? includeParameters(this.serve(response.record), this.components)
        : 'list' in response
          ? listParameters(this.serve(response.list), this.components)
          : [];
    const conditions = conditional
      ? [this.condition('If-Match'), this.condition('If-None-Match')]
      : isRead(route, response)
        ? [this.condition('If-None-Match')]
        : [];
    return [...own, ...of, ...conditions];
  }

  private condition(name: keyof typeof CONDITIONS): object {
    return this.components.parameter(name === 'If-Match' ? 'ifMatch' : 'ifNoneMatch', () => ({
      name,
      in: 'header',
      description: CONDITIONS[name],
      schema: { type: 'string' },
    }));
  }

  private requestBody(body: BodyOf): object {
    if ('bytes' in body) return { required: true, content: { '*/*': {} } };
    const { schema, examples, optional } = body;
    const values = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }]);
    return {
      required: !optional,
      content: {
        [JSON_TYPE]: {
          schema: this.bodySchema(schema),
          ...(values.length && { examples: Object.fromEntries(values) as object }),
        },
      },
    };
  }

  private bodySchema(schema: JsonBody['schema']): JsonSchema {
    if ('create' in schema) {
      const served = this.serve(schema.create);
      return this.components.schema(`${schema.create}.Create`, () => createSchema(served));
    }
    if ('update' in schema) {
      const served = this.serve(schema.update);
      return this.components.schema(`${schema.update}.Update`, () => updateSchema(served));
    }
    return schema;
  }

  private responses(route: Route, operation: Operation, isOpen: boolean): object {
    const { errors: known = [] } = operation;
    const names = new Set<ErrorName>([...ALWAYS, ...known.filter((one) => typeof one === 'string')]);
    const own = known.filter((one) => typeof one === 'number');
    if (!isOpen) names.add('loginNeeded');
    if (!isOpen && route.method !== 'GET') names.add('forbidden'); // another site
    if (operation.conditional || isRead(route, operation.response)) names.add('preconditionFailed');
    const statuses = new Set([...names].map((name) => CATALOGUE[name].status));
    const errors = [...new Set<number>([...statuses, ...own])]
      .sort()
      .map((status) => [
        status,
        own.includes(status)
          ? ownErrorResponse(this.components, status)
          : errorResponse(this.components, status),
      ]);
    const { response } = operation;
    return {
      [route.status]: this.good(response, operation.headers),
      ...(isRead(route, response) && { 304: described(NOT_MODIFIED, { ...REQUEST_ID, ...ETAG }) }),
      ...('also' in response &&
        Object.fromEntries(
          Object.entries(response.also ?? {}).map(([status, text]) => [status, described(text, REQUEST_ID)]),
        )),
      ...(Object.fromEntries(errors) as object),
      default: anyError(this.components),
    };
  }

  private good(response: OperationResponse, own: Operation['headers']): object {
    const extra = Object.entries(own ?? {}).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]);
    const headers = {
      ...REQUEST_ID,
      ...(('record' in response || 'list' in response) && ETAG),
      ...(Object.fromEntries(extra) as object),
    };
    if ('nothing' in response) return described(response.nothing, headers);
    if ('bytes' in response)
      return { ...described('The bytes.', headers), content: { [response.bytes]: {} } };
    const [description, schema] = this.jsonResponse(response);
    return { ...described(description, headers), content: { [JSON_TYPE]: { schema } } };
  }

  private jsonResponse(
    response: Exclude<OperationResponse, { bytes: string } | { nothing: string }>,
  ): [string, JsonSchema] {
    const { components } = this;
    if ('json' in response) return [response.json.description ?? 'The answer.', response.json];
    if ('options' in response) {
      return ['The choices, by prop.', optionsSchema(this.serve(response.options).kind, components)];
    }
    if ('list' in response) {
      const served = this.serve(response.list);
      return [
        'A page of records.',
        components.schema(`${response.list}.List`, () => listSchema(served, components)),
      ];
    }
    const served = this.serve(response.record);
    const isSpecial = response.created === true && served.service.schemas.createMeta !== undefined;
    const name = `${response.record}.${isSpecial ? 'Created' : 'Record'}`;
    return ['The record.', components.schema(name, () => recordSchema(served, components, isSpecial))];
  }
}

/** Whether it shows records, and so takes `If-None-Match`. */
const isRead = ({ method }: Route, response: OperationResponse) =>
  method === 'GET' && ('record' in response || 'list' in response);

const scheme = { [SESSION_SCHEME]: [] };
const described = (description: string, headers: object) => ({ description, headers });
