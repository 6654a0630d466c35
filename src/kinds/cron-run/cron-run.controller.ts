import { KindController, RecordController } from '../../record/record.controller.js';
import { CronRun } from './cron-run.entity.js';
import { CronRunService } from './cron-run.service.js';

/** `/cronruns`: the standard routes, of which only those that read are open to anyone. */
@KindController(CronRun)
export class CronRunController extends RecordController {
  constructor(protected readonly service: CronRunService) {
    super();
  }
}
