import { Injectable } from '@nestjs/common';
import { withTimeout } from '../common/with-timeout.js';
import { Drain } from '../http/drain.js';
import { unavailable } from '../common/errors.js';
import { ReadinessProbe } from '../common/readiness-probe.js';

/** Milliseconds that a probe may take. */
const PROBE_MS = 2_500;

/** What health answers are: a failure is thrown. */
export interface Healthy {
  readonly status: 'ok';
}

/** Is the process alive, and can it serve? The same wherever it is asked. */
@Injectable()
export class Health {
  constructor(
    private readonly probe: ReadinessProbe,
    private readonly drain: Drain,
  ) {}

  /** As long as the process answers. */
  live(): Healthy {
    return { status: 'ok' };
  }

  /**
   * When requests can be served.
   * @throws ApiError 503 within {@link PROBE_MS} when not, or when the service is about to stop
   */
  async ready(): Promise<Healthy> {
    if (this.drain.isDraining) throw unavailable('The service is stopping.');
    if (!(await withTimeout(PROBE_MS, this.ask(), false))) throw unavailable();
    return { status: 'ok' };
  }

  private async ask(): Promise<boolean> {
    try {
      return await this.probe.ready();
    } catch {
      return false;
    }
  }
}
