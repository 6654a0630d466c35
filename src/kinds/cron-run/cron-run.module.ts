import { Module } from '@nestjs/common';
import { SchedulerModule } from '../../scheduler/scheduler.module.js';
import { CronRunController } from './cron-run.controller.js';
import { CronRunService } from './cron-run.service.js';

/** The kind CronRun. */
@Module({
  imports: [SchedulerModule],
  controllers: [CronRunController],
  providers: [CronRunService],
  exports: [CronRunService],
})
export class CronRunModule {}
