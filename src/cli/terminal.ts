import type { Readable, Writable } from 'node:stream';

/** The input and output of a command. */
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

  /** Writes the result of a command as a single JSON document. It may contain a new secret. */
  print(result: unknown): void {
    this.output.write(`${JSON.stringify(result, null, 2)}\n`);
  }

  /** Writes one line to the operator. */
  say(line: string): void {
    this.errors.write(`${line}\n`);
  }
}
