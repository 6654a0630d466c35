import { type DynamicModule, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Ids } from './ids.js';
import { type EntityClass, kindOf, registeredKinds } from './kind.js';
import { KindGraph } from './kind-graph.js';
import { RecordEngine } from './record-engine.js';
import { RecordStore } from './record-store.js';

/** The engine, for the services of all kinds. */
@Module({})
export class RecordModule {
  /** @param options.userKind the entity whose records are the users and whose boolean props are the roles */
  static forRoot(options: { userKind: EntityClass }): DynamicModule {
    return {
      module: RecordModule,
      global: true,
      providers: [
        {
          provide: KindGraph,
          useFactory: () => KindGraph.link(registeredKinds(), kindOf(options.userKind).kind),
        },
        RecordStore,
        { provide: Ids, inject: [Config], useFactory: (config: Config) => new Ids(config.appSecret) },
        {
          provide: RecordEngine,
          inject: [RecordStore, Ids, Config],
          useFactory: (store: RecordStore, ids: Ids, config: Config) =>
            new RecordEngine(store, ids, `/api/${config.apiVersion}`),
        },
      ],
      exports: [RecordEngine, KindGraph, RecordStore, Ids],
    };
  }
}
