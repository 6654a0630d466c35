import { Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { JobDelay } from './job-store.js';

/** Node.js treats delays beyond 2^31−1 as 1. A day also limits the effect of a clock that was moved. */
const MAX_TIMEOUT_MS = 86_400_000;
/** The delay for a job that is due already. The loop or another instance is handling it; this is a safety net. */
const DUE_RECHECK_MS = 1000;

/**
 * Mirrors the enabled CronJob records in Nest's SchedulerRegistry: one timeout for each, until its next tick. A timer only
 * says when to check. The database decides what is due, so a wrong timer does no harm.
 */
@Injectable()
export class JobTimers {
  private readonly names = new Map<string, string>();
  private readonly fired = new Set<string>();

  constructor(private readonly registry: SchedulerRegistry) {}

  /** Sets the timers of `jobs`, and removes those of all other ids in `asked`. */
  set(asked: Iterable<string>, jobs: readonly JobDelay[], onFire: () => void): void {
    for (const id of asked) this.remove(id);
    for (const { id, delay } of jobs) {
      this.remove(id);
      if (delay !== null)
        this.add(id, delay === 0 ? DUE_RECHECK_MS : Math.min(delay, MAX_TIMEOUT_MS), onFire);
    }
  }

  /** The jobs that have a timer. */
  ids(): string[] {
    return [...this.names.keys()];
  }

  /** The jobs whose timers have fired since the last call. */
  takeFired(): string[] {
    const ids = [...this.fired];
    this.fired.clear();
    return ids;
  }

  clear(): void {
    for (const id of this.ids()) this.remove(id);
  }

  private add(id: string, delay: number, onFire: () => void): void {
    const name = `CronJob ${id}`;
    const timer = setTimeout(() => {
      this.remove(id);
      this.fired.add(id);
      onFire();
    }, delay);
    this.registry.addTimeout(name, timer);
    this.names.set(id, name);
  }

  private remove(id: string): void {
    const name = this.names.get(id);
    if (name === undefined) return;
    this.names.delete(id);
    if (this.registry.doesExist('timeout', name)) this.registry.deleteTimeout(name);
  }
}
