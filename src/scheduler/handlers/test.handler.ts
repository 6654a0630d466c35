import { CronHandler, type CronContext, type CronTask } from '../cron-handler.js';

/** Does nothing but say so in the log: to try schedules out. Takes any params. */
@CronHandler('Test')
export class TestHandler implements CronTask {
  run(_params: object, { log, scheduledFor }: CronContext): Promise<void> {
    log.info({ scheduledFor }, 'the Test handler ran');
    return Promise.resolve();
  }
}
