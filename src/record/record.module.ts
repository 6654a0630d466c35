import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { Config } from '../config/config.js';
import { basePathOf, FIRST_VERSION } from '../common/api-path.js';
import { ApiVersions } from './api-versions.js';
import { TotalsMaintainer } from './sql/totals-maintainer.js';
import { Ids } from './ids/ids.js';
import { kindOf, kindsOf } from './schema/kind.js';
import type { EntityClass } from './schema/kind-def.js';
import { KindGraph } from './schema/kind-graph.js';
import { RecordEngine } from './record-engine.js';
import { ListReader } from './query/list-reader.js';
import { LargePages } from './response/large-pages.js';
import { Quotas } from './write/quotas.js';
import { RecordStore } from './sql/record-store.js';
import { Removals } from './write/removals.js';

const USER_KIND = Symbol('kindred:user-kind');

/**
 * The engine, for the services of all kinds: one for each version of the API. What is above the database is global like the
 * database itself: every module of a kind would have to import it.
 */
@Module({})
export class RecordModule {
  /**
   * What all versions share, and the engine of the first one, which is the default.
   * @param options.userKind the entity whose records are the users and whose boolean props are the roles
   */
  static forRoot(options: { userKind: EntityClass }): DynamicModule {
    return {
      module: RecordModule,
      global: true,
      providers: [
        { provide: USER_KIND, useValue: kindOf(options.userKind).kind },
        { provide: Ids, inject: [Config], useFactory: (config: Config) => new Ids(config.appSecret) },
        ApiVersions,
        LargePages,
        Quotas,
        Removals,
        TotalsMaintainer,
        ...engineOf(FIRST_VERSION),
      ],
      exports: [
        USER_KIND,
        ApiVersions,
        Ids,
        LargePages,
        Quotas,
        Removals,
        RecordEngine,
        KindGraph,
        RecordStore,
      ],
    };
  }

  /** The engine of a later version. Modules of its kinds import it, all of them the same object. */
  static forVersion(version: string): DynamicModule {
    return {
      module: RecordModule,
      providers: engineOf(version),
      exports: [RecordEngine, KindGraph, RecordStore],
    };
  }
}

function engineOf(version: string): Provider[] {
  return [
    {
      provide: KindGraph,
      inject: [USER_KIND],
      useFactory: (userKind: string) => KindGraph.link(kindsOf(version), userKind, version),
    },
    RecordStore,
    ListReader,
    {
      provide: RecordEngine,
      inject: [RecordStore, ListReader, Ids, ApiVersions, Quotas, LargePages],
      useFactory: (
        store: RecordStore,
        lists: ListReader,
        ids: Ids,
        versions: ApiVersions,
        quotas: Quotas,
        largePages: LargePages,
      ) => {
        const engine = new RecordEngine(store, lists, ids, basePathOf(version), quotas, largePages);
        versions.add(engine);
        return engine;
      },
    },
  ];
}
