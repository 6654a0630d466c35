import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import type { HandlerRegistry } from './handler-registry.js';
import { checkParams } from './job-params.js';
import { outcomeOfFailure, type Outcome, PermanentFailure } from './run-outcome.js';
import type { ClaimedRun } from './run-store.js';

const current = new AsyncLocalStorage<Execution>();

/** The run that the current code belongs to; null outside of runs. */
export function currentExecution(): Execution | null {
  return current.getStore() ?? null;
}

/** One try of a run on this instance. `outcome` resolves exactly once, whatever the handler does. */
export class Execution {
  readonly outcome: Promise<Outcome>;
  private readonly abortion = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private settle: (outcome: Outcome) => void = () => undefined;

  /** @param limit the time limit in milliseconds. The try fails after it even if the handler ignores the signal. */
  constructor(
    readonly run: ClaimedRun,
    handlers: HandlerRegistry,
    log: Logger,
    limit: number,
  ) {
    const settled = new Promise<Outcome>((resolve) => (this.settle = resolve));
    this.timer = current.run(this, () =>
      setTimeout(() => {
        this.fail(new Error(`The handler took longer than ${limit / 1000} seconds.`));
        this.abort();
      }, limit),
    );
    this.outcome = settled.finally(() => clearTimeout(this.timer));
    current.run(this, () => {
      this.start(handlers, log).then(
        () => this.settle({ status: 'succeeded' }),
        (thrown: unknown) => this.fail(thrown),
      );
    });
  }

  /** Fails the try, for a reason from the handler or from outside. */
  fail(thrown: unknown): void {
    this.settle(outcomeOfFailure(thrown, this.run.attempt));
  }

  /** Tells the handler to stop. */
  abort(): void {
    current.run(this, () => this.abortion.abort());
  }

  private async start(handlers: HandlerRegistry, log: Logger): Promise<void> {
    const { handler: name, scheduledFor, attempt } = this.run;
    const handler = handlers.get(name);
    if (!handler) throw new PermanentFailure(`There is no handler ${name}; choose another one for the job.`);
    const checked = checkParams(this.run.params, handler.params);
    if ('fault' in checked) throw new PermanentFailure(checked.fault);
    await handler.task.run(checked.params, { signal: this.abortion.signal, log, scheduledFor, attempt });
  }
}
