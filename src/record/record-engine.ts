import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { StartupError } from '../common/startup-error.js';
import { Ids } from './ids/ids.js';
import type { LinkedKind } from './schema/kind-graph.js';
import type { ListReader } from './query/list-reader.js';
import type { LargePages } from './response/large-pages.js';
import type { Quotas } from './write/quotas.js';
import type { RecordHooks } from './record-hooks.js';
import { RecordStore } from './sql/record-store.js';
import type { Rights } from './access/rights.js';

/** What the services of all kinds share: the store, the ids, and each other. */
@Injectable()
export class RecordEngine implements OnApplicationBootstrap {
  /** Set at the start by the session module. */
  rights: Rights | null = null;
  private readonly services = new Map<LinkedKind, RecordHooks>();

  constructor(
    readonly store: RecordStore,
    readonly lists: ListReader,
    readonly ids: Ids,
    /** `/api/v1`: the prefix of links. */
    readonly basePath: string,
    readonly quotas: Quotas,
    readonly largePages: LargePages,
  ) {}

  get graph() {
    return this.store.graph;
  }

  /** Called by the constructor of each RecordService. */
  register(kind: LinkedKind, service: RecordHooks): void {
    this.services.set(kind, service);
  }

  /** The hooks of a kind's service. */
  service(kind: LinkedKind): RecordHooks {
    const service = this.services.get(kind);
    if (!service) throw new Error(`Kind ${kind.kind} has no service.`);
    return service;
  }

  /**
   * The service of a class, or of one that extends it, among those of this version. For code outside of requests: a class
   * by itself stands for one service in every version, so Nest may return the one of another version.
   * @throws Error when this version has none: a fault of the program
   */
  serviceOf<T extends RecordHooks>(type: abstract new (...parts: never[]) => T): T {
    const found = [...this.services.values()].find((service): service is T => service instanceof type);
    if (!found) throw new Error(`Version ${this.graph.version} has no ${type.name}.`);
    return found;
  }

  /** @throws StartupError when a kind has no service, or its service lacks an option list that a prop names. */
  onApplicationBootstrap(): void {
    for (const kind of this.graph.all()) {
      const service = this.services.get(kind);
      if (!service) {
        throw new StartupError(`Kind ${kind.kind} has no service: add its module to app.module.ts.`);
      }
      for (const prop of kind.props) {
        if (prop.options !== undefined && !service.optionSources.has(prop.options)) {
          throw new StartupError(
            `Kind ${kind.kind}: prop ${prop.name}: its service offers no options "${prop.options}"; add them to optionSources.`,
          );
        }
      }
    }
  }
}
