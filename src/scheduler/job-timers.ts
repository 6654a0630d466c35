import { Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { JobWait } from './job-store.js';

/** Longest timer, in milliseconds: Node takes one beyond 2^31−1 for 1, and a day bounds what a moved clock can do. */
const LONGEST = 86_400_000;
/** For a job that is due already: the loop, or another instance, is at it, and this only makes sure. */
const DUE = 1000;

/**
 * Nest's SchedulerRegistry as the mirror of the enabled CronJob records: one timeout each, up to its next tick. A timer
 * only says when to look; what is due is for the database to say, so one that is wrong does no harm.
 */
@Injectable()
export class JobTimers {
  private readonly names = new Map<string, string>();
  private readonly rung = new Set<string>();

  constructor(private readonly registry: SchedulerRegistry) {}

  /** Sets the timers of these jobs; `asked` are all that were asked for: one that is not among `jobs` has none. */
  set(asked: Iterable<string>, jobs: readonly JobWait[], ring: () => void): void {
    for (const id of asked) this.remove(id);
    for (const { id, wait } of jobs) {
      this.remove(id);
      if (wait !== null) this.add(id, wait === 0 ? DUE : Math.min(wait, LONGEST), ring);
    }
  }

  /** The jobs that have a timer. */
  ids(): string[] {
    return [...this.names.keys()];
  }

  /** The jobs whose timers have rung since the last call. */
  takeRung(): string[] {
    const ids = [...this.rung];
    this.rung.clear();
    return ids;
  }

  clear(): void {
    for (const id of this.ids()) this.remove(id);
  }

  private add(id: string, wait: number, ring: () => void): void {
    const name = `CronJob ${id}`;
    const timer = setTimeout(() => {
      this.remove(id);
      this.rung.add(id);
      ring();
    }, wait);
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
