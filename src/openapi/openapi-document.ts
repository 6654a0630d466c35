import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { KindGraph, LinkedKind } from '../record/schema/kind-graph.js';
import { ApiVersions } from '../record/api-versions.js';
import type { RecordEngine } from '../record/record-engine.js';
import { SESSION_COOKIE } from '../auth/session-cookie.js';
import { JSON_TYPE } from '../http/error-response.js';
import { type Cacheable, cacheable } from './cacheable.js';
import { Components } from '../openapi-model/components.js';
import type { ServedKind } from '../record/openapi/served-kind.js';
import type { Operation, OperationSource } from '../openapi-model/operation.decorator.js';
import { OperationWriter, SESSION_SCHEME, type WrittenOperation } from './paths.js';
import { type Route, Routes } from '../openapi-model/routes.js';

const about = (prefix: string) => `Typed records, related to each other, over JSON.

Bodies are \`application/json\`. Every error has the same form: \`{error: {code, message, data}}\`. The session is a
cookie; without one you see what is public. To try calls on a page, log in with \`POST ${prefix}/sessions\` first.`;

/** The OpenAPI 3.1 document of this service: made from its routes and kinds, at the first request for it. */
@Injectable()
export class OpenApiDocument {
  private readonly made = new Map<string, Cacheable>();

  constructor(
    private readonly routes: Routes,
    private readonly versions: ApiVersions,
    private readonly config: Config,
  ) {}

  /** The document of a version, by default of the one that API_VERSION names. */
  of(version = this.config.apiVersion): Cacheable {
    let found = this.made.get(version);
    if (!found) {
      found = cacheable(JSON.stringify(this.build(this.versions.engine(version))), JSON_TYPE);
      this.made.set(version, found);
    }
    return found;
  }

  private build(engine: RecordEngine): object {
    const { graph, basePath } = engine;
    const { version } = graph;
    const isDeprecated = this.config.apiDeprecated.some((one) => one.version === version);
    const components = new Components();
    const writer = new OperationWriter(graph, (name) => served(engine, graph.get(name)), components);
    const paths = new Map<string, Record<string, WrittenOperation>>();
    const write = (route: Route, operation: Operation) => {
      const { path, operation: written } = writer.write(route, operation);
      paths.set(path, { ...paths.get(path), [route.method.toLowerCase()]: written });
    };
    for (const route of this.routes.of(version)) {
      const deprecated = isDeprecated && route.version !== null;
      for (const operation of operationsOf(route, writer.kindOf(route)))
        write(route, deprecated ? { ...operation, deprecated } : operation);
    }
    const sorted = [...paths].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      openapi: '3.1.1',
      info: {
        title: 'Kindred',
        version,
        description: about(basePath),
        license: { name: 'MIT', identifier: 'MIT' },
        contact: { name: 'Whoever runs this service' },
      },
      servers: [{ url: '/', description: 'The service that serves this description.' }],
      tags: tagsOf(graph, paths),
      paths: Object.fromEntries(sorted),
      components: { ...components.all(), securitySchemes: { [SESSION_SCHEME]: SCHEME } },
    };
  }
}

/** The kinds, and the chapters of what belongs to none. */
function tagsOf(graph: KindGraph, paths: ReadonlyMap<string, Record<string, WrittenOperation>>): object[] {
  const tags = new Map(
    graph.all().map(({ kind, description }) => [kind, description || `Records of kind ${kind}.`]),
  );
  const used = [...paths.values()].flatMap((methods) => Object.values(methods).flatMap((one) => one.tags));
  for (const name of used) if (!tags.has(name)) tags.set(name, CHAPTERS[name] ?? 'Further operations.');
  const sorted = [...tags].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, description]) => ({ name, description }));
}

const CHAPTERS: Readonly<Record<string, string>> = {
  Description: 'The API’s description of itself.',
  Health: 'Health checks for operators.',
  Test: 'An echo for trying out calls.',
};

function served(engine: RecordEngine, kind: LinkedKind): ServedKind {
  return {
    kind,
    graph: engine.graph,
    service: engine.service(kind),
    other: (other) => served(engine, other),
  };
}

const SCHEME = {
  type: 'apiKey',
  in: 'cookie',
  name: SESSION_COOKIE,
  description: 'The session that `POST /sessions` starts. Browsers store the cookie themselves.',
};

/** What a route's method says of itself. A route that says nothing is in no document, and a test names it. */
function operationsOf({ source }: Route, kind: ServedKind | null): readonly Operation[] {
  if (typeof source !== 'function') return source ? [source] : [];
  // Standard operations are made from the kind (record/openapi/operations.ts), and no other way.
  return kind ? [(source as Exclude<OperationSource<ServedKind>, Operation | null>)(kind)].flat() : [];
}
