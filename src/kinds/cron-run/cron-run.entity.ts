import { Column, Index } from 'typeorm';
import { Kind } from '../../record/schema/kind.js';
import { Prop } from '../../record/schema/prop.js';
import { RecordEntity } from '../../record/record.entity.js';

/**
 * One tick of a job, or one requested run, with all its tries. The row is the claim: unique indexes allow each tick once, and
 * one running row per job, on any number of instances (scheduler/run-store.ts writes it).
 */
@Kind({
  kind: 'CronRun',
  path: 'cronruns',
  description: 'One run of a job, with all its tries.',
  owner: ['^cronJob'],
  view: ['owner'],
  create: [],
  readOnly: true,
})
@Index('uq_cronruns_running', ['cronJobId'], { unique: true, where: `status = 'running'` })
@Index('ix_cronruns_queued', ['dueAt', 'id'], { where: `status = 'queued'` })
@Index('ix_cronruns_waiting', ['cronJobId'], { where: `status = 'queued'` })
@Index('ix_cronruns_leased', ['leaseUntil'], { where: `status = 'running'` })
@Index('ix_cronruns_finishedAt', ['finishedAt'])
export class CronRun extends RecordEntity {
  @Prop.parent({
    name: 'cronJob',
    kind: 'CronJob',
    required: true,
    onDelete: 'cascade',
    view: ['owner'],
    edit: [],
  })
  cronJobId!: string;

  @Prop.date({
    required: true,
    description: 'The tick; for a requested run, the time of the request.',
    unique: true,
    uniqueQualifiers: ['cronJobId'],
    filterRange: true,
    view: ['owner'],
    edit: [],
  })
  scheduledFor!: Date;

  @Prop.date({ description: 'When the latest try started.', view: ['owner'], edit: [] })
  startedAt!: Date | null;

  @Prop.date({ view: ['owner'], edit: [] })
  finishedAt!: Date | null;

  @Prop.enum({
    required: true,
    default: 'queued',
    enums: ['queued', 'running', 'succeeded', 'failed'],
    enumLabels: ['Queued', 'Running', 'Succeeded', 'Failed'],
    filterQualifier: true,
    view: ['owner'],
    edit: [],
  })
  status!: 'queued' | 'running' | 'succeeded' | 'failed';

  @Prop.int({
    required: true,
    default: 0,
    description: 'How many tries have started.',
    view: ['owner'],
    edit: [],
  })
  attempt!: number;

  @Prop.string({
    length: 2000,
    description: 'The error message of the latest try.',
    view: ['owner'],
    edit: [],
  })
  error!: string | null;

  /** When a queued run may be claimed: the tick, or the end of the pause before a retry. */
  @Column({ type: 'timestamptz', precision: 3, select: false })
  dueAt!: Date;

  /** Requested with `POST /cronjobs/:id/run`: runs even if the job is disabled. */
  @Column({ type: 'boolean', default: false, select: false })
  manual!: boolean;

  /** The instance that runs it. */
  @Column({ type: 'varchar', length: 36, nullable: true, select: false })
  leasedBy!: string | null;

  /** After this time the instance is considered dead, and another one takes over. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true, select: false })
  leaseUntil!: Date | null;
}
