import { SessionStore } from '../../auth/session-store.js';
import { CronHandler, type CronContext, type CronTask } from '../cron-handler.js';

const BATCH = 1000;

/** Takes no params. */
export class NoParams {}

/** Deletes the rows of expired sessions. They are invalid already; this only frees space. */
@CronHandler('DeleteExpiredSessions', { params: NoParams })
export class DeleteExpiredSessionsHandler implements CronTask<NoParams> {
  constructor(private readonly sessions: SessionStore) {}

  async run(_params: NoParams, { signal, log }: CronContext): Promise<void> {
    let deleted = 0;
    for (let n = BATCH; n === BATCH && !signal.aborted; deleted += n)
      n = await this.sessions.deleteExpired(BATCH);
    log.info({ deleted }, 'expired sessions deleted');
  }
}
