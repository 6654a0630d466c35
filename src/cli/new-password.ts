import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { generatedPassword } from '../common/secrets.js';
import { CommandError } from './command-error.js';
import type { Terminal } from './terminal.js';

/** A password that a command sets. */
export interface NewPassword {
  readonly password: string;
  /** The part of the result: the password if it was generated, nothing if the operator has entered it. */
  readonly shown: { readonly password?: string };
}

/** More than any password may have, so that a file piped in by mistake is not read completely. */
const MAX_CHARACTERS = 10_000;

/**
 * The new password: generated, entered twice at a terminal, or the first line of standard input. There is no argument for
 * it, because arguments appear in the shell's history and in the list of processes.
 * @throws CommandError if there is none
 */
export async function newPassword(generate: boolean, terminal: Terminal): Promise<NewPassword> {
  if (generate) {
    const password = generatedPassword();
    return { password, shown: { password } };
  }
  const password = terminal.input.isTTY ? await askTwice(terminal) : await firstLine(terminal);
  if (password === '') {
    throw new CommandError('There is no password: type one, pipe it to standard input, or add --generate.');
  }
  return { password, shown: {} };
}

async function firstLine({ input }: Terminal): Promise<string> {
  let text = '';
  input.setEncoding('utf8');
  for await (const chunk of input as AsyncIterable<string>) {
    text += chunk;
    if (text.includes('\n') || text.length > MAX_CHARACTERS) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? '';
}

async function askTwice({ input, errors }: Terminal): Promise<string> {
  // What is typed is read with the terminal's editing keys, and echoed into nothing.
  const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: nothing, terminal: true });
  const ended = new Promise<never>((_, reject) => {
    terminal.once('SIGINT', () => terminal.close());
    terminal.once('close', () => reject(new CommandError('No password was given; nothing was changed.')));
  });
  const ask = async (prompt: string) => {
    errors.write(prompt);
    const line = await Promise.race([terminal.question(''), ended]);
    errors.write('\n');
    return line;
  };
  try {
    const password = await ask('New password: ');
    if ((await ask('The same again: ')) !== password) {
      throw new CommandError('The two passwords differ: run the command again.');
    }
    return password;
  } finally {
    ended.catch(() => undefined);
    terminal.close();
  }
}
