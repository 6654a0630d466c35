import { Injectable } from '@nestjs/common';
import { HandlerRegistry } from './handler-registry.js';
import { type QueueStats, RunStore } from './run-store.js';

/** How a try of a run ended here; `lost`: another instance has taken it over, or its job is gone. */
export type TryOutcome = 'succeeded' | 'failed' | 'retried' | 'lost';

/** Counts the outcomes of this instance's runs since its start. */
@Injectable()
export class JobStats {
  private readonly counts = new Map<string, Map<TryOutcome, number>>();
  private runningNow: () => number = () => 0;

  constructor(
    private readonly handlers: HandlerRegistry,
    private readonly runs: RunStore,
  ) {}

  /** Sets the function that returns the number of active runs. */
  watch(running: () => number): void {
    this.runningNow = running;
  }

  /** Counts a finished try. */
  count(handler: string, outcome: TryOutcome): void {
    // Records may name handlers that do not exist. Their names would be labels without bound.
    const name = this.handlers.get(handler) ? handler : 'unknown';
    const outcomes = this.counts.get(name) ?? new Map<TryOutcome, number>();
    this.counts.set(name, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
  }

  /** The number of active runs on this instance. */
  running(): number {
    return this.runningNow();
  }

  /** The finished tries of this instance. */
  ended(): { handler: string; outcome: TryOutcome; count: number }[] {
    return [...this.counts].flatMap(([handler, outcomes]) =>
      [...outcomes].map(([outcome, count]) => ({ handler, outcome, count })),
    );
  }

  /** @throws ApiError 503 when the database is unavailable */
  queue(): Promise<QueueStats> {
    return this.runs.queue();
  }
}
