import { Injectable } from '@nestjs/common';
import { versionNumber } from '../common/api-path.js';
import type { LinkedKind } from './schema/kind-graph.js';
import type { RecordEngine } from './record-engine.js';

/** The versions of the API, each with an engine of its own, on the same database. */
@Injectable()
export class ApiVersions {
  private readonly engines = new Map<string, RecordEngine>();

  /** Called by the constructor of each engine. */
  add(engine: RecordEngine): void {
    this.engines.set(engine.graph.version, engine);
  }

  /** Oldest first. */
  get names(): readonly string[] {
    return [...this.engines.keys()].sort((a, b) => versionNumber(a) - versionNumber(b));
  }

  has(version: string): boolean {
    return this.engines.has(version);
  }

  /** @throws Error if there is no such version, which is a bug, not an invalid request. */
  engine(version: string): RecordEngine {
    const engine = this.engines.get(version);
    if (!engine) throw new Error(`There is no version ${version} of the API.`);
    return engine;
  }

  /** The engine that a linked kind is part of. */
  engineOf(kind: LinkedKind): RecordEngine {
    return this.engine(kind.version);
  }
}
