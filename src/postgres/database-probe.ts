import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ReadinessProbe } from '../common/readiness-probe.js';
import { type DedicatedConnection, DedicatedConnections } from './dedicated-connection.js';

/**
 * Ready: the database responds. That it is migrated is certain, because the service does not start before. It is asked on a
 * connection of its own, made by the first question, so that no statement of others is waited for.
 */
@Injectable()
export class DatabaseProbe extends ReadinessProbe implements OnApplicationShutdown {
  private connection: DedicatedConnection | null = null;
  private asking: Promise<boolean> | null = null;

  constructor(private readonly connections: DedicatedConnections) {
    super();
  }

  /** Simultaneous checks share one query. */
  ready(): Promise<boolean> {
    this.asking ??= this.ask().finally(() => (this.asking = null));
    return this.asking;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.connection?.close();
  }

  private async ask(): Promise<boolean> {
    this.connection ??= this.connections.make('kindred-health');
    await this.connection.query({ text: 'SELECT 1', values: [] });
    return true;
  }
}
