/**
 * Whether this process does background work: jobs, removals from the storage. The service does. A command does not, because
 * it may run on another machine with another data folder. Also the injection token.
 */
export class Background<Settings extends object = object> {
  /** @param settings of jobs instead of those of the environment, for tests */
  constructor(
    readonly enabled: boolean,
    readonly settings: Settings | null = null,
  ) {}
}
