import { Module } from '@nestjs/common';
import { CronRunModule } from '../cron-run/cron-run.module.js';
import { CronJobController } from './cron-job.controller.js';
import { CronJobService } from './cron-job.service.js';

/** The kind CronJob. */
@Module({ imports: [CronRunModule], controllers: [CronJobController], providers: [CronJobService] })
export class CronJobModule {}
