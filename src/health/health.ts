import { Injectable } from '@nestjs/common';
import { withTimeout } from '../common/with-timeout.js';
import { Drain } from '../http/drain.js';
import { unavailable } from '../common/errors.js';
import { ReadinessProbe } from '../common/readiness-probe.js';

/** The time limit of a probe, in milliseconds. */
const PROBE_MS = 2_500;

/** The response of a successful check. Failures are thrown. */
export interface Healthy {
  readonly status: 'ok';
}

/** Checks whether the process is alive and ready. */
@Injectable()
export class Health {
  constructor(
    private readonly probe: ReadinessProbe,
    private readonly drain: Drain,
  ) {}

  /** Succeeds as long as the process responds. */
  live(): Healthy {
    return { status: 'ok' };
  }

  /**
   * Succeeds if requests can be served.
   * @throws ApiError 503 within {@link PROBE_MS} if not, or if the service is about to stop
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
