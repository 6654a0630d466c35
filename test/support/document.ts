import { expect } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { JsonSchema } from '../../src/openapi-model/json-schema.js';
import { type Answer, type Call, Caller, type Json } from './client.js';

/** An operation of the document under test. */
export interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  /** The path template. */
  readonly path: string;
  /** The Operation Object. */
  readonly said: Json;
}

/** An OpenAPI document, to hold answers against. Objects are closed: what it does not name may not be there. */
export class ApiDocument {
  readonly operations: readonly DocumentedOperation[];
  /** `<operation id> <status>` of every answer that was held against it. */
  readonly met = new Set<string>();
  private readonly ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
  private readonly compiled = new WeakMap<object, ValidateFunction>();
  private readonly patterns: readonly { pattern: RegExp; operation: DocumentedOperation }[];

  constructor(readonly document: Json) {
    // Annotations for ajv, which knows neither; the service checks them.
    for (const name of ['idn-email', 'iri']) this.ajv.addFormat(name, true);
    formats.default(this.ajv, ['date-time', 'uri']);
    this.ajv.addKeyword('components');
    const components = closed({ components: document.components as object });
    this.ajv.addSchema({ $id: 'api', ...(components as object) });
    this.operations = Object.entries(document.paths as Json).flatMap(([path, methods]) =>
      Object.entries(methods as Json).map(([method, said]: [string, Json]) => {
        return { id: String(said.operationId), method: method.toUpperCase(), path, said };
      }),
    );
    const parameters = (path: string) => path.split('{').length;
    this.patterns = [...this.operations]
      .sort((a, b) => parameters(a.path) - parameters(b.path))
      .map((operation) => ({
        pattern: new RegExp(`^${operation.path.replace(/\./g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
        operation,
      }));
  }

  operation(id: string): DocumentedOperation {
    const found = this.operations.find((operation) => operation.id === id);
    if (!found) throw new Error(`The document has no operation ${id}.`);
    return found;
  }

  /** What a reference stands for. */
  resolve(value: Json): Json {
    if (typeof value.$ref !== 'string') return value;
    return value.$ref
      .slice(2)
      .split('/')
      .reduce((at, name) => at[name] as Json, this.document);
  }

  /** A check of values by a schema of the document, closed. */
  validator(schema: object): ValidateFunction {
    let made = this.compiled.get(schema);
    if (!made) this.compiled.set(schema, (made = this.ajv.compile(pointed(closed(schema)) as object)));
    return made;
  }

  /** The schema of a component. */
  schema(name: string): JsonSchema {
    return ((this.document.components as Json).schemas as Json)[name] as JsonSchema;
  }

  /** Fails unless the document says that this may be the answer. Unknown paths and methods are none of it. */
  check(method: string, url: string, answer: Pick<Answer, 'status' | 'headers' | 'body'>): void {
    const path = new URL(url).pathname;
    const found = this.patterns.find(
      ({ pattern, operation }) => operation.method === method && pattern.test(path),
    );
    if (!found) return;
    const { id, said } = found.operation;
    const where = `${id} ${answer.status} ${JSON.stringify(answer.body).slice(0, 600)}`;
    const responses = said.responses as Json;
    const response = this.resolve((responses[answer.status] ?? responses.default) as Json);
    // Failures of an operation that it is known for stand there by themselves.
    expect([where, answer.status in responses || answer.status >= 500]).toEqual([where, true]);
    this.met.add(`${id} ${answer.status}`);
    const headers = Object.keys((response.headers ?? {}) as Json).filter(
      (name) => !/^(set-cookie|retry-after)$/i.test(name),
    );
    expect([where, headers.filter((name) => !answer.headers.has(name))]).toEqual([where, []]);
    const schema = ((response.content as Json | undefined)?.['application/json'] as Json | undefined)
      ?.schema as object;
    if (!schema) return;
    // And the other way about: what a client may go by is told.
    const told = Object.keys((response.headers ?? {}) as Json).map((name) => name.toLowerCase());
    const silent = ['etag', 'set-cookie', 'retry-after'].filter(
      (name) =>
        answer.headers.has(name) && !told.includes(name) && !(name === 'set-cookie' && answer.status < 400),
    );
    expect([where, silent]).toEqual([where, []]);
    const validate = this.validator(schema);
    if (!validate(answer.body)) throw new Error(`${where}\n${this.ajv.errorsText(validate.errors)}`);
  }
}

/** A caller whose every answer is held against a document. */
export class DocumentedCaller extends Caller {
  constructor(
    private readonly document: ApiDocument,
    base: string,
    cookie?: string,
  ) {
    super(base, cookie);
  }

  override async send(method: string, path: string, call?: Call): Promise<Answer> {
    const answer = await super.send(method, path, call);
    const url = path.startsWith('//') ? this.base + path.slice(1) : `${this.base}/api/v1${path}`;
    this.document.check(method, url, answer);
    return answer;
  }
}

/** Closes every object whose members are named; what stands beside a reference only narrows it. */
function closed(value: unknown, beside = false): unknown {
  if (Array.isArray(value)) return value.map((one) => closed(one, beside));
  if (typeof value !== 'object' || value === null) return value;
  const narrows = beside || '$ref' in value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner, narrows)]));
  const isOpen = 'properties' in value && 'type' in value && !('additionalProperties' in value);
  return isOpen && !narrows ? { ...copy, additionalProperties: false } : copy;
}

/** References of the document as references into the schema that holds it. */
function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' ? `api${inner}` : pointed(inner),
    ]),
  );
}
