import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { CommandFactory, CommandRunnerService } from 'nest-commander';
import { ApiKeyCommand, CreateApiKeyCommand } from './api-key.commands.js';
import { AppContext, FURTHER_MODULES } from './app-context.js';
import { KindsCommand } from './kinds.command.js';
import { Terminal } from './terminal.js';
import {
  CreateUserCommand,
  GrantRoleCommand,
  ResetPasswordCommand,
  RevokeRoleCommand,
  UserCommand,
} from './user.commands.js';

/** The commands. Those that need the service open it themselves, so help and mistyped words do not wait for a database. */
@Module({
  providers: [
    AppContext,
    UserCommand,
    CreateUserCommand,
    GrantRoleCommand,
    RevokeRoleCommand,
    ResetPasswordCommand,
    ApiKeyCommand,
    CreateApiKeyCommand,
    KindsCommand,
  ],
})
export class CliModule {
  /** The module with the terminal that the commands talk to. */
  static at(terminal: Terminal, kinds: readonly Type[]): DynamicModule {
    return {
      module: CliModule,
      providers: [
        { provide: Terminal, useValue: terminal },
        { provide: FURTHER_MODULES, useValue: kinds },
      ],
    };
  }
}

/**
 * Runs the command that was typed. A mistyped one ends the process with 1 and a line of its own.
 * @param kinds for tests: modules of further kinds and versions of the API
 * @throws CommandError, StartupError, ApiError: what stopped the command
 */
export async function runCommand(terminal: Terminal, kinds: readonly Type[] = []): Promise<void> {
  const app = await CommandFactory.createWithoutRunning(CliModule.at(terminal, kinds), {
    logger: false,
    abortOnError: false,
    serviceErrorHandler: (error) => {
      throw error;
    },
  });
  try {
    // The first two are the program's own name.
    await app.get(CommandRunnerService).run(['node', 'cli', ...terminal.words]);
  } finally {
    await app.close();
  }
}
