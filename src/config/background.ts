/**
 * Whether this process also does what nobody asks it for: jobs, removals from the storage. The service does; a command,
 * which may run on another machine with another data folder, does not. Also the token to inject it by.
 */
export class Background<Settings extends object = object> {
  /** @param settings of jobs instead of those of the environment, for tests */
  constructor(
    readonly enabled: boolean,
    readonly settings: Settings | null = null,
  ) {}
}
