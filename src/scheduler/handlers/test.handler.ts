import { CronHandler, type CronContext, type CronTask } from '../cron-handler.js';

/** Only writes a line to the log: for trying out schedules. Takes any params. */
@CronHandler('Test')
export class TestHandler implements CronTask {
  run(_params: object, { log, scheduledFor }: CronContext): Promise<void> {
    log.info({ scheduledFor }, 'the Test handler ran');
    return Promise.resolve();
  }
}
