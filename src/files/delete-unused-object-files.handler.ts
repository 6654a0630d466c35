import { CronHandler, type CronContext, type CronTask } from '../scheduler/cron-handler.js';
import { NoParams } from '../scheduler/handlers/delete-expired-sessions.handler.js';
import { FileCleaner } from './file-cleaner.js';

/** Deletes uploads that were begun more than a day ago and never imported, with their bytes. */
@CronHandler('DeleteUnusedObjectFiles', { params: NoParams })
export class DeleteUnusedObjectFilesHandler implements CronTask<NoParams> {
  constructor(private readonly cleaner: FileCleaner) {}

  async run(_params: NoParams, { signal, log }: CronContext): Promise<void> {
    let deleted = 0;
    for (let n = 1; n > 0 && !signal.aborted; deleted += n) n = await this.cleaner.deleteAbandoned();
    this.cleaner.schedule();
    log.info({ deleted }, 'unused files deleted');
  }
}
