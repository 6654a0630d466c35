import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../postgres/database.js';
import { invalid } from '../../common/errors.js';
import { audit } from '../../http/logging.js';
import type { ChangeSetOf } from '../../record/write/change-set.js';
import type { Link } from '../../record/response/envelope.js';
import type { RecordResponse } from '../../record/response/record-response.js';
import { RecordEngine } from '../../record/record-engine.js';
import { type ResponseSchemas, RecordService, type WriteRequest } from '../../record/record.service.js';
import type { RowOf } from '../../record/row.js';
import type { Viewer } from '../../common/viewer.js';
import { HandlerRegistry } from '../../scheduler/handler-registry.js';
import { checkParams } from '../../scheduler/job-params.js';
import { notifyJobChanged } from '../../scheduler/messages.js';
import { nextTick } from '../../scheduler/schedule.js';
import { SchedulerSettings } from '../../scheduler/scheduler-settings.js';
import { CronRunService } from '../cron-run/cron-run.service.js';
import { CronJob } from './cron-job.entity.js';

/** Cron jobs: their handler must exist, their schedule must have a next tick, and all instances are notified of changes. */
@Injectable()
export class CronJobService extends RecordService<CronJob> {
  override readonly schemas: ResponseSchemas = {
    props: { params: { type: 'object' } },
    links: { run: 'Where a `POST` runs the job now.' },
  };
  override readonly optionSources = new Map([['handlers', () => this.handlers.options()]]);

  constructor(
    engine: RecordEngine,
    private readonly handlers: HandlerRegistry,
    private readonly settings: SchedulerSettings,
    private readonly runs: CronRunService,
  ) {
    super(engine, CronJob);
  }

  /** Queues a run of a job now, whatever its schedule and even if it is disabled. Returns the run. */
  async run(id: string, request: WriteRequest): Promise<RecordResponse> {
    const { viewer } = request;
    const job = this.writable(viewer, await this.load(id));
    const response = await this.runs.queue(
      async (tx) => this.writable(viewer, await this.engine.store.lock(tx, this.kind, job.id, 'UPDATE')),
      request,
    );
    this.audit('run', job, request);
    return response;
  }

  protected override async beforeSave(changeSet: ChangeSetOf<CronJob>, tx: Transaction): Promise<void> {
    const { values, before } = changeSet;
    const changes = (...names: string[]) => names.some((name) => values.has(name));
    if (changes('handler', 'params')) this.checkParams(changeSet);
    const isEnabled = values.get('enabled') ?? before?.enabled ?? false;
    const schedule = values.get('schedule') ?? before?.schedule ?? '';
    const timezone = values.get('timezone') ?? before?.timezone ?? '';
    if (!changes('schedule', 'timezone', 'enabled')) return;
    const [time] = await tx.query({ text: `SELECT ${this.settings.clock.now} AS now`, values: [] });
    const next = nextTick(schedule, timezone, String(time?.now));
    // A job whose schedule is no longer valid can still be disabled.
    if (next === null && (changes('schedule', 'timezone') || isEnabled)) {
      throw invalid('schedule', 'schedule must name a date that comes.');
    }
    values.set('nextRunAt', isEnabled ? next : null);
  }

  protected override async afterSave(
    row: RowOf<CronJob>,
    changeSet: ChangeSetOf<CronJob>,
    tx: Transaction,
  ): Promise<void> {
    // Again when it is enabled: a run that failed or was given back at the moment of disabling may have been queued since.
    if (changeSet.before && changeSet.before.enabled !== row.enabled) await this.cancelWaiting(tx, row);
    await tx.query(notifyJobChanged(row.id));
  }

  protected override async beforeRemove(row: RowOf<CronJob>, tx: Transaction): Promise<void> {
    await tx.query(notifyJobChanged(row.id));
  }

  protected override committed(
    before: RowOf<CronJob> | null,
    after: RowOf<CronJob> | null,
    request: WriteRequest,
  ): Promise<void> {
    const action = before === null ? 'create' : after === null ? 'delete' : 'update';
    this.audit(action, after ?? before, request);
    return Promise.resolve();
  }

  override serializeLinks(
    _row: RowOf<CronJob>,
    id: string,
    _viewer: Viewer,
    _isOwner: boolean,
    mayWrite: boolean,
  ): Record<string, Link> {
    const href = `${this.engine.basePath}/${this.kind.path}/${id}/run`;
    return { run: { href, methods: mayWrite ? ['POST'] : [], usage: 'rest' } };
  }

  /** Cancels waiting ticks and retries of a disabled job, so that they do not run when it is enabled again. */
  private async cancelWaiting(tx: Transaction, row: RowOf<CronJob>): Promise<void> {
    await tx.query({
      text:
        `UPDATE cronruns SET status = 'failed', "finishedAt" = ${this.settings.clock.now}, "updatedAt" = now(), error = $2` +
        ` WHERE "cronJobId" = $1 AND status = 'queued' AND NOT manual`,
      values: [row.id, 'The job was disabled before this run could begin.'],
    });
  }

  private checkParams({ values, before }: ChangeSetOf<CronJob>): void {
    const handler = this.handlers.get(values.get('handler') ?? before?.handler ?? '');
    // A changed handler was found in the list of options; one that is gone can still have its params fixed.
    const text = values.get('params');
    const params = typeof text === 'string' ? (JSON.parse(text) as unknown) : before?.params;
    const checked = checkParams(params, handler?.params ?? null);
    if ('fault' in checked) throw invalid('params', checked.fault);
  }

  private audit(action: string, row: RowOf<CronJob> | null, { log, actor, ip: address }: WriteRequest): void {
    const target = this.publicIdOf(row);
    audit(log, { event: 'cronJob', outcome: 'success', actor, action, target, address });
  }
}
