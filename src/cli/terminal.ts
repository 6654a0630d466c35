import type { Readable, Writable } from 'node:stream';

/** Where a command is typed: what it reads, and where it writes to. */
export class Terminal {
  constructor(
    /** The words of the command. */
    readonly words: readonly string[],
    readonly env: NodeJS.ProcessEnv,
    readonly input: Readable & { readonly isTTY?: boolean },
    readonly output: Writable,
    /** For everything but the result. */
    readonly errors: Writable,
  ) {}

  /** Writes the result of a command: one JSON document, the only one. It may hold a new secret. */
  print(result: unknown): void {
    this.output.write(`${JSON.stringify(result, null, 2)}\n`);
  }

  /** Tells the operator something, in a line. */
  say(line: string): void {
    this.errors.write(`${line}\n`);
  }
}
