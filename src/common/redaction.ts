/** Members that never appear in a log line, whoever logs them. */
const names = new Set(['password', 'privateKey', 'cookie', 'set-cookie', 'authorization']);

/** Adds a member, such as a prop that a kind accepts but never shows. Call it before the logger is created. */
export function neverLog(name: string): void {
  names.add(name);
}

/** The names of all redacted members. */
export const redactedNames = (): readonly string[] => [...names];
