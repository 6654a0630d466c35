import { Module } from '@nestjs/common';
import { SchedulerModule } from '../../scheduler/scheduler.module.js';
import { CronRunModule } from '../cron-run/cron-run.module.js';
import { CronJobController } from './cron-job.controller.js';
import { CronJobService } from './cron-job.service.js';

/** The kind CronJob. */
@Module({
  imports: [CronRunModule, SchedulerModule],
  controllers: [CronJobController],
  providers: [CronJobService],
})
export class CronJobModule {}
