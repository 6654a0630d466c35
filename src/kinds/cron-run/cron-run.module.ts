import { Module } from '@nestjs/common';
import { CronRunController } from './cron-run.controller.js';
import { CronRunService } from './cron-run.service.js';

/** The kind CronRun. */
@Module({ controllers: [CronRunController], providers: [CronRunService], exports: [CronRunService] })
export class CronRunModule {}
