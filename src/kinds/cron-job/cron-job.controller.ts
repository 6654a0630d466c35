import { Param, Post } from '@nestjs/common';
import { Caller } from '../../http/param-decorators.js';
import { Describe } from '../../openapi-model/operation.decorator.js';
import { KindController, RecordController } from '../../record/record.controller.js';
import type { WriteRequest } from '../../record/record.service.js';
import type { RecordResponse } from '../../record/response/record-response.js';
import { CronJob } from './cron-job.entity.js';
import { CronJobService } from './cron-job.service.js';

/** `/cronjobs`: the standard routes, and `run`. */
@KindController(CronJob)
export class CronJobController extends RecordController {
  constructor(protected readonly service: CronJobService) {
    super();
  }

  /** Queues a run now and returns the CronRun. The body is ignored. */
  @Post(':id/run')
  @Describe({
    id: 'runCronJob',
    summary: 'Run a CronJob now',
    description: 'Queues a run, even of a disabled job. At most 100 such runs of a job may wait (409).',
    response: { record: 'CronRun' },
    errors: ['notFound', 'conflict', 'unsupportedType', 'invalid'],
  })
  run(@Param('id') id: string, @Caller() caller: WriteRequest): Promise<RecordResponse> {
    return this.service.run(id, caller);
  }
}
