import { Module } from '@nestjs/common';
import { CommandFactory } from 'nest-commander';
import { ApiKeyCommand, CreateApiKeyCommand } from './api-key.commands.js';
import { Backstage } from './backstage.js';
import { KindsCommand } from './kinds.command.js';
import {
  CreateUserCommand,
  GrantRoleCommand,
  ResetPasswordCommand,
  RevokeRoleCommand,
  UserCommand,
} from './user.commands.js';

/** The commands. The service itself is opened by those that need it: help and mistyped words wait for no database. */
@Module({
  providers: [
    Backstage,
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
class CliModule {}

/**
 * Runs the command that `process.argv` names. A mistyped one ends the process with 1 and a line of its own.
 * @throws CommandError, StartupError, ApiError: what stopped the command
 */
export async function runCommand(): Promise<void> {
  await CommandFactory.run(CliModule, {
    logger: false,
    abortOnError: false,
    serviceErrorHandler: (error) => {
      throw error;
    },
  });
}
