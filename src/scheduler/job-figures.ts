import { Injectable } from '@nestjs/common';
import { HandlerRegistry } from './handler-registry.js';
import { type QueueFigures, RunStore } from './run-store.js';

/** How a try of a run ended here; `lost`: another instance has taken it over, or its job is gone. */
export type TryOutcome = 'succeeded' | 'failed' | 'retried' | 'lost';

/** What this instance's job runs have come to, counted since the start. */
@Injectable()
export class JobFigures {
  private readonly counts = new Map<string, Map<TryOutcome, number>>();
  private runningNow: () => number = () => 0;

  constructor(
    private readonly handlers: HandlerRegistry,
    private readonly runs: RunStore,
  ) {}

  /** Told by the scheduler: how to see the number of runs under way. */
  watch(running: () => number): void {
    this.runningNow = running;
  }

  /** Told by the scheduler when a try has ended. */
  count(handler: string, outcome: TryOutcome): void {
    // What stands in the database may name any handler; only those that exist are worth a row.
    const name = this.handlers.get(handler) ? handler : 'unknown';
    const outcomes = this.counts.get(name) ?? new Map<TryOutcome, number>();
    this.counts.set(name, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
  }

  /** Runs under way on this instance. */
  running(): number {
    return this.runningNow();
  }

  /** The tries that have ended on this instance. */
  ended(): { handler: string; outcome: TryOutcome; count: number }[] {
    return [...this.counts].flatMap(([handler, outcomes]) =>
      [...outcomes].map(([outcome, count]) => ({ handler, outcome, count })),
    );
  }

  /** @throws ApiError 503 when the database is away */
  queue(): Promise<QueueFigures> {
    return this.runs.queue();
  }
}
