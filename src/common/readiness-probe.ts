/** Says whether the service can do its work; the infrastructure provides it, under this class as the token. */
export abstract class ReadinessProbe {
  /** True when the database answers. May throw or hang: the caller bounds it. */
  abstract ready(): Promise<boolean>;
}
