import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';
import { RecordEngine } from '../record/record-engine.js';

/** The properties of a file that serving it needs. */
export interface StoredFile {
  readonly filename: string;
  readonly extension: string;
  readonly fileKey: string;
  readonly thumbnailKey: string | null;
}

/** Looks up files for the upload and download routes. */
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
    const [row] = await this.database.read('point', {
      name: 'stored_file',
      text,
      values: [rowId],
      table: 'objectfiles',
    });
    if (typeof row?.fileKey !== 'string') return null;
    return {
      filename: String(row.filename),
      extension: String(row.extension),
      fileKey: row.fileKey,
      thumbnailKey: typeof row.thumbnailKey === 'string' ? row.thumbnailKey : null,
    };
  }

  /** Whether a pending file waits for an upload to this key. */
  async isAwaited(stagingKey: string): Promise<boolean> {
    const text = `SELECT 1 FROM objectfiles WHERE "stagingKey" = $1 AND status = 'pending'`;
    const statement = { name: 'awaited_file', text, values: [stagingKey], table: 'objectfiles' };
    return (await this.database.read('point', statement)).length > 0;
  }
}
