import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { withTimeout } from '../common/with-timeout.js';
import type { Database } from '../postgres/database.js';
import type { JobStats } from '../scheduler/job-stats.js';

/** In seconds: from a response out of memory to one just below the statement timeout. */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Methods with a label of their own. A client may send some forty, and each would be a time series. */
const COMMON = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The time limit of database queries, in milliseconds. A scrape must work while the database is unavailable. */
const QUERY_TIMEOUT_MS = 2000;

/**
 * The metrics of one service, for Prometheus. Labels are always names from the code: methods, route patterns, classes of
 * status, handlers. They never contain a URL, an id or the name of a user.
 */
export class Metrics {
  readonly registry = new Registry();
  private readonly durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request’s headers to the end of its answer; route is the pattern, never the URL.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: BUCKETS,
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Call it for every response. */
  onResponse = (request: FastifyRequest, reply: FastifyReply): void => {
    this.durations.observe(
      {
        method: COMMON.has(request.method) ? request.method : 'other',
        route: request.routeOptions.url ?? 'none',
        status: `${Math.trunc(reply.statusCode / 100)}xx`,
      },
      reply.elapsedTime / 1000,
    );
  };

  /** Adds metrics of the database's connections, which are read at each scrape. */
  watchDatabase(database: Database): void {
    this.gauge(
      'database_pool_connections',
      'Connections of the pool for transactions.',
      ['state'],
      (gauge) => {
        const { total, idle } = database.load().pool;
        gauge.set({ state: 'busy' }, total - idle);
        gauge.set({ state: 'idle' }, idle);
      },
    );
    this.gauge('database_pool_waiting', 'Transactions that wait for a connection.', [], (gauge) => {
      gauge.set(database.load().pool.waiting);
    });
    this.gauge(
      'database_reader_statements',
      'Reads on connections of their own, by read pool.',
      ['pool', 'state'],
      (gauge) => {
        for (const [pool, { underWay, waiting }] of Object.entries(database.load().readPools)) {
          gauge.set({ pool, state: 'under_way' }, underWay);
          gauge.set({ pool, state: 'waiting' }, waiting);
        }
      },
    );
  }

  /** Adds metrics of background jobs: of this instance, and of the queue that all instances share. */
  watchJobs(jobs: JobStats): void {
    const { registry } = this;
    new Counter({
      name: 'cron_tries_total',
      help: 'Tries of job runs that ended on this instance.',
      labelNames: ['handler', 'outcome'] as const,
      registers: [registry],
      collect() {
        this.reset();
        for (const { handler, outcome, count } of jobs.ended()) this.inc({ handler, outcome }, count);
      },
    });
    this.gauge('cron_runs_here', 'Job runs under way on this instance.', [], (gauge) =>
      gauge.set(jobs.running()),
    );
    // One query for the next two metrics, which are collected together.
    let look: Promise<Awaited<ReturnType<JobStats['queue']>> | null> | null = null;
    const queue = () => {
      look ??= inTime(jobs.queue()).finally(() => (look = null));
      return look;
    };
    this.gauge(
      'cron_runs',
      'Job runs on all instances; queued: that are due and not taken.',
      ['status'],
      async (gauge) => {
        const found = await queue();
        gauge.reset();
        if (!found) return;
        gauge.set({ status: 'queued' }, found.queued);
        gauge.set({ status: 'running' }, found.running);
      },
    );
    this.gauge(
      'cron_queue_age_seconds',
      'How long the oldest run that is due has waited.',
      [],
      async (gauge) => {
        const found = await queue();
        if (found) gauge.set(found.waitedSeconds);
        else gauge.remove();
      },
    );
  }

  private gauge<T extends string>(
    name: string,
    help: string,
    labelNames: readonly T[],
    collect: (gauge: Gauge<T>) => void | Promise<void>,
  ): void {
    const gauge: Gauge<T> = new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      collect: () => collect(gauge),
    });
  }
}

/** The result of a query; null if it fails or takes longer than {@link QUERY_TIMEOUT_MS}. */
const inTime = <T>(question: Promise<T>): Promise<T | null> =>
  withTimeout(
    QUERY_TIMEOUT_MS,
    question.catch(() => null),
    null,
  );
