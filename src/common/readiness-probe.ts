/** Checks whether the service is ready. The infrastructure provides an implementation under this class as its token. */
export abstract class ReadinessProbe {
  /** True if the database responds. May throw or hang: the caller sets a time limit. */
  abstract ready(): Promise<boolean>;
}
