import { Injectable } from '@nestjs/common';
import { ReadinessProbe } from '../health/readiness-probe.js';
import { Database } from './database.js';

/** Ready: the database answers. That it is migrated is certain, because the service does not start before. */
@Injectable()
export class DatabaseProbe extends ReadinessProbe {
  constructor(private readonly database: Database) {
    super();
  }

  async ready(): Promise<boolean> {
    await this.database.read('point', { text: 'SELECT 1', values: [] });
    return true;
  }
}
