import { CommandRunner } from 'nest-commander';
import { CommandError } from './command-error.js';

/** A command that only groups subcommands. */
export abstract class GroupCommand extends CommandRunner {
  override run([word]: string[]): Promise<void> {
    if (word === undefined) this.command.help({ error: true });
    const known = this.command.commands.map((command) => command.name()).join(', ');
    throw new CommandError(`There is no command ${this.command.name()} ${word}: they are ${known}.`);
  }
}
