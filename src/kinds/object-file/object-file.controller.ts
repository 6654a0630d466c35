import { KindController, RecordController } from '../../record/record.controller.js';
import { ObjectFile } from './object-file.entity.js';
import { ObjectFileService } from './object-file.service.js';

/** `/objectfiles`: the standard routes. */
@KindController(ObjectFile)
export class ObjectFileController extends RecordController {
  constructor(protected readonly service: ObjectFileService) {
    super();
  }
}
