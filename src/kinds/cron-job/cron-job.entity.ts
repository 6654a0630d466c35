import { Index } from 'typeorm';
import { Kind } from '../../record/schema/kind.js';
import { Prop } from '../../record/schema/prop.js';
import { RecordEntity } from '../../record/record.entity.js';
import { SCHEDULE, TIME_ZONE } from '../../scheduler/schedule.js';

/**
 * A background job on a schedule. The scheduler reads and writes this table with statements of its own
 * (scheduler/job-store.ts). Its updates of `lastRunAt` and `nextRunAt` do not change `updatedAt`.
 */
@Kind({
  kind: 'CronJob',
  path: 'cronjobs',
  description: 'A background job on a schedule. Only for administrators.',
  owner: ['admin'],
  view: ['admin'],
  create: ['admin'],
})
@Index('ix_cronjobs_nextRunAt', ['nextRunAt', 'id'], { where: 'enabled' })
export class CronJob extends RecordEntity {
  @Prop.string({
    required: true,
    length: 60,
    format: SCHEDULE,
    filterQualifier: true,
    view: ['owner'],
    edit: ['owner'],
  })
  schedule!: string;

  @Prop.string({
    required: true,
    default: 'UTC',
    length: 60,
    format: TIME_ZONE,
    description: 'The time zone of the schedule.',
    view: ['owner'],
    edit: ['owner'],
  })
  timezone!: string;

  @Prop.string({
    required: true,
    length: 60,
    options: 'handlers',
    example: 'Test',
    description: 'One of the handlers that `GET …/cronjobs/options` lists.',
    filterQualifier: true,
    view: ['owner'],
    edit: ['owner'],
  })
  handler!: string;

  @Prop.json({ description: 'An object that the handler accepts.', view: ['owner'], edit: ['owner'] })
  params!: Record<string, unknown> | null;

  @Prop.boolean({
    required: true,
    default: true,
    enumLabels: ['Disabled', 'Enabled'],
    view: ['owner'],
    edit: ['owner'],
  })
  enabled!: boolean;

  @Prop.string({ length: 65535, view: ['owner'], edit: ['owner'] })
  note!: string | null;

  @Prop.date({ description: 'When the latest run started.', view: ['owner'], edit: [] })
  lastRunAt!: Date | null;

  @Prop.date({ description: 'The next tick; null while the job is disabled.', view: ['owner'], edit: [] })
  nextRunAt!: Date | null;

  @Prop.children({ name: 'runs', kind: 'CronRun', view: ['owner'] })
  runs!: never;
}
