import type { Warning } from '../../common/errors.js';
import type { Paging } from './envelope.js';
import type { Page, IncludedData } from './included-data.js';

/**
 * The result of a record operation: rows, included data, the viewer, and how to show them. The envelope interceptor turns
 * it into JSON. Rows leave the service in no other way.
 */
export class RecordResponse {
  constructor(
    /** The rows, and the viewer with the rights after the operation. */
    readonly page: Page,
    readonly included: IncludedData,
    readonly warnings: readonly Warning[],
    /** Added to `meta` of a single record, also if `meta` was not requested. */
    readonly meta: Readonly<Record<string, unknown>> = {},
    /** Set for a list; a single record has none. */
    readonly paging: Paging | null = null,
  ) {}

  /** Whether the operation adds anything to the record as a read would return it. */
  get hasAdditions(): boolean {
    return this.warnings.length > 0 || Object.keys(this.meta).length > 0;
  }

  /** The record alone, as a read would return it. */
  bare(): RecordResponse {
    return new RecordResponse(this.page, this.included, [], {}, this.paging);
  }

  /** The same with further warnings, which come first. */
  warning(first: readonly Warning[]): RecordResponse {
    return new RecordResponse(this.page, this.included, [...first, ...this.warnings], this.meta, this.paging);
  }
}
