import type { Warning } from '../../common/errors.js';
import { invalid } from '../../common/errors.js';
import type { QueryParams } from '../../http/query.js';

/**
 * Reads the parameters of a query string, one by one. Parameters that were not read in the end are unknown and become
 * warnings. Nothing is clamped: a value out of bounds is 442 and names the parameter.
 */
export class QueryReader {
  private readonly taken = new Set<string>();

  constructor(private readonly query: QueryParams) {}

  /** Every non-empty value of a parameter that may be repeated. */
  all(name: string): readonly string[] {
    return this.take(name).filter((value) => value !== '');
  }

  /** The value of a parameter that may be given once; undefined when absent. */
  one(name: string): string | undefined {
    const values = this.take(name);
    if (values.length > 1) throw invalid(name, `${name} may be given once.`);
    return values[0];
  }

  flag(name: string): boolean {
    const value = this.one(name);
    if (value === undefined || value === 'false') return false;
    if (value === 'true') return true;
    throw invalid(name, `${name} must be true or false.`);
  }

  integer(name: string, max: number, otherwise: number): number {
    const value = this.one(name);
    if (value === undefined) return otherwise;
    const n = /^\d{1,15}$/.test(value) ? Number(value) : 0;
    if (n < 1 || n > max) throw invalid(name, `${name} must be a whole number from 1 to ${max}.`);
    return n;
  }

  /** Values that may be repeated or separated by commas, without duplicates. */
  list(name: string): string[] {
    return [...new Set(this.all(name).flatMap((value) => value.split(',')))].filter((word) => word !== '');
  }

  /** Whether every parameter has been read. */
  isDone(): boolean {
    return this.taken.size === this.query.size;
  }

  /** One warning for each parameter that was not read. */
  unknown(): Warning[] {
    return [...this.query.keys()]
      .filter((name) => !this.taken.has(name))
      .map((name) => ({
        code: 400,
        message: 'This query parameter is unknown and was ignored.',
        data: name,
      }));
  }

  private take(name: string): readonly string[] {
    const values = this.query.get(name);
    if (!values) return NONE; // most of what is looked for is not there
    this.taken.add(name);
    return values;
  }
}

const NONE: readonly string[] = [];
