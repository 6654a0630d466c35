import type { Warning } from '../../common/errors.js';
import type { Option } from './options.js';

/** A link, with what this caller may do there. */
export interface Link {
  readonly href: string;
  readonly methods: readonly string[];
  /** `rest`: an API path; `page`: a page for people; `file`, `image`: bytes. */
  readonly usage: 'rest' | 'page' | 'file' | 'image';
}

/** One record in a response. */
export interface Envelope {
  props: Record<string, unknown>;
  links?: Record<string, Link>;
  meta?: Record<string, unknown>;
  related?: Record<string, Envelope | null>;
  options?: Record<string, readonly Option[]>;
  extras?: Record<string, unknown>;
  warnings?: readonly Warning[];
}

/** The `paging` of a list. */
export interface Paging {
  readonly page: number;
  readonly nextPage: number;
  readonly previousPage: number;
  readonly itemsPerPage: number;
  readonly totalItems: number;
  readonly totalPages: number;
}

/** The response to a list request. */
export interface ListEnvelope {
  paging: Paging;
  items: Envelope[];
  warnings?: readonly Warning[];
}

/** The paging block for `totalItems` matching rows. */
export function pagingOf(page: number, itemsPerPage: number, totalItems: number): Paging {
  const totalPages = Math.ceil(totalItems / itemsPerPage);
  return {
    page,
    nextPage: Math.min(page + 1, Math.max(totalPages, 1)),
    previousPage: Math.max(page - 1, 1),
    itemsPerPage,
    totalItems,
    totalPages,
  };
}
