/**
 * Tells `npm test` about a kind whose service requires more of a record than the declaration. A file beside the kind, such
 * as `booking.values.ts`, exports it as `VALUES`. Builds of the service do not contain it.
 */
export interface KindValues {
  /** The name of the kind, whatever the version of the API. */
  readonly kind: string;
  /**
   * Column → a value, as in a JSON body, that the hooks accept with any valid values of the other props. If the prop is
   * unique, it must differ for each `n` (0, 1, 2 …). Other values are not tested.
   */
  readonly props?: Readonly<Record<string, (n: number) => unknown>>;
  /**
   * False: hooks check more than values, such as transitions between states. The tests then insert records directly, and
   * leave permitted creates, changes and deletions to your own tests.
   */
  readonly written?: boolean;
}
