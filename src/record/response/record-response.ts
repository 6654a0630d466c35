import type { Warning } from '../../common/errors.js';
import type { Paging } from './envelope.js';
import type { Page, IncludedData } from './included-data.js';

/**
 * What a record operation returns: rows, what stands beside them, and for whom and how to show them. The envelope
 * interceptor turns it into the JSON answer; nothing of a row leaves the service by another way.
 */
export class RecordResponse {
  constructor(
    /** The rows, and the viewer by whose rights they are shown: those after the operation. */
    readonly page: Page,
    readonly included: IncludedData,
    readonly warnings: readonly Warning[],
    /** Joins `meta` of a single record, and makes it be there. */
    readonly meta: Readonly<Record<string, unknown>> = {},
    /** Set for a list; a single record has none. */
    readonly paging: Paging | null = null,
  ) {}

  /** Whether the operation said more than the record as it is now. */
  get hasAdditions(): boolean {
    return this.warnings.length > 0 || Object.keys(this.meta).length > 0;
  }

  /** The record alone, as a read would answer it. */
  bare(): RecordResponse {
    return new RecordResponse(this.page, this.included, [], {}, this.paging);
  }

  /** The same with further warnings, which come first. */
  warning(first: readonly Warning[]): RecordResponse {
    return new RecordResponse(this.page, this.included, [...first, ...this.warnings], this.meta, this.paging);
  }
}
