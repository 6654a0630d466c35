/** Something of a library that the library does not promise. */
export interface Internal {
  readonly package: string;
  readonly member: string;
  /** The files that use it. */
  readonly files: readonly string[];
  /** Fails where it is not as those files need it. */
  readonly holds: () => void | Promise<void>;
}
