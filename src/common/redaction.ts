/** Members that never stand in a log line, whoever logs them. */
const names = new Set(['password', 'privateKey', 'cookie', 'set-cookie', 'authorization']);

/** Adds one: what a kind takes in and never shows. To be called before the logger is made. */
export function neverLog(name: string): void {
  names.add(name);
}

/** All of them. */
export const redactedNames = (): readonly string[] => [...names];
