/**
 * What `npm test` has to know of a kind whose service asks more of a record than the declaration says. It stands beside the
 * kind, in a file such as `booking.values.ts`, which exports it as `VALUES`; no build of the service contains it.
 */
export interface KindValues {
  /** The name of the kind, whatever the version of the API. */
  readonly kind: string;
  /**
   * Column → a value that the hooks take, whatever valid values the others have: another one for another `n` (0, 1, 2 …)
   * where the prop is unique. In the form of a JSON body. What else they would take stays untried.
   */
  readonly props?: Readonly<Record<string, (n: number) => unknown>>;
  /**
   * False: hooks decide about more than values, such as which state follows on which. The tests then put records into the
   * table by themselves, and leave creates, changes and deletions of those who may to tests of your own.
   */
  readonly written?: boolean;
}
