/**
 * Whether this process also does what nobody asks it for: jobs, removals from the storage. The service does; a command,
 * which may run on another machine with another data folder, does not. Also the token to inject it by.
 */
export class Background {
  constructor(readonly enabled: boolean) {}
}
