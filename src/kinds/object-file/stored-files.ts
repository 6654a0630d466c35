import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { RecordEngine } from '../../record/record-engine.js';

/** What serving a file needs of its record. */
export interface StoredFile {
  readonly filename: string;
  readonly extension: string;
  readonly fileKey: string;
  readonly thumbnailKey: string | null;
}

/** Ready files with their storage keys, for the routes that serve bytes. */
@Injectable()
export class StoredFiles {
  constructor(
    private readonly engine: RecordEngine,
    private readonly database: Database,
  ) {}

  byPublicId(id: string): Promise<StoredFile | null> {
    const rowId = this.engine.ids.decode('ObjectFile', id);
    return rowId === null ? Promise.resolve(null) : this.byRowId(rowId);
  }

  async byRowId(rowId: string): Promise<StoredFile | null> {
    const text = `SELECT filename, extension, "fileKey", "thumbnailKey" FROM objectfiles WHERE id = $1 AND status = 'ready'`;
    const [row] = await this.database.read('point', { name: 'stored_file', text, values: [rowId] });
    if (typeof row?.fileKey !== 'string') return null;
    return {
      filename: String(row.filename),
      extension: String(row.extension),
      fileKey: row.fileKey,
      thumbnailKey: typeof row.thumbnailKey === 'string' ? row.thumbnailKey : null,
    };
  }
}
