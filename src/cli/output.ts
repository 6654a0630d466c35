/** Writes the result of a command: one JSON document on standard output, the only one. It may hold a new secret. */
export function print(result: unknown): void {
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}
