import { Command, CommandRunner, Option, SubCommand } from 'nest-commander';
import { AppContext } from './app-context.js';
import { CommandError } from './command-error.js';
import { GroupCommand } from './group-command.js';
import { newPassword } from './new-password.js';
import { ROLES, type AdminOperations } from './admin-operations.js';
import { Terminal } from './terminal.js';

const WHO = { user: 'username, e-mail address or id' };
const ROLE = { ...WHO, role: ROLES.join(', ') };
const GENERATE = {
  flags: '--generate',
  description: 'make a password and print it, instead of asking or reading standard input',
};

function checkRole(role: string): string {
  if (!ROLES.includes(role))
    throw new CommandError(`There is no role ${role}: it is one of ${ROLES.join(', ')}.`);
  return role;
}

/** `user create <username> <email>` */
@SubCommand({
  name: 'create',
  arguments: '<username> <email>',
  description: 'Create a user. The password is asked for, or is the first line of standard input.',
})
export class CreateUserCommand extends CommandRunner {
  constructor(
    private readonly appContext: AppContext,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  override async run(
    [username, email]: string[],
    options: { name?: string; role?: string[]; generate?: boolean },
  ): Promise<void> {
    const roles = options.role ?? [];
    const { password, shown } = await newPassword(options.generate === true, this.terminal);
    const granted = Object.fromEntries(roles.map((role) => [role, true]));
    const body = { username, email, realName: options.name ?? null, password, ...granted };
    await this.appContext.open(async (operations) => {
      for (const role of roles) operations.checkRole(role, true);
      const { props } = await operations.createUser(body);
      // At once, so that the password is not lost if closing the service fails.
      this.terminal.print({ id: props.id, username: props.username, email: props.email, roles, ...shown });
    });
  }

  @Option({ flags: '--name <name>', description: 'the real name' })
  name(value: string): string {
    return value;
  }

  @Option({ flags: '--role <role...>', description: `grant a role: ${ROLES.join(', ')}` })
  role(value: string, before: string[] = []): string[] {
    return [...before, checkRole(value)];
  }

  @Option(GENERATE)
  generate(): boolean {
    return true;
  }
}

abstract class SetRoleCommand extends CommandRunner {
  protected abstract readonly value: boolean;

  constructor(
    private readonly appContext: AppContext,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  override async run([name = '', role = '']: string[]): Promise<void> {
    checkRole(role);
    const { props } = await this.appContext.open(async (operations: AdminOperations) => {
      operations.checkRole(role);
      return operations.updateUser(await operations.find(name), { [role]: this.value });
    });
    const roles = ROLES.filter((one) => props[one] === true);
    this.terminal.print({ id: props.id, username: props.username, roles });
  }
}

/** `user grant <user> <role>` */
@SubCommand({
  name: 'grant',
  arguments: '<user> <role>',
  argsDescription: ROLE,
  description: 'Give a user a role.',
})
export class GrantRoleCommand extends SetRoleCommand {
  protected override readonly value = true;

  constructor(appContext: AppContext, terminal: Terminal) {
    super(appContext, terminal);
  }
}

/** `user revoke <user> <role>` */
@SubCommand({
  name: 'revoke',
  arguments: '<user> <role>',
  argsDescription: ROLE,
  description: 'Take a role from a user. The last administrator stays one.',
})
export class RevokeRoleCommand extends SetRoleCommand {
  protected override readonly value = false;

  constructor(appContext: AppContext, terminal: Terminal) {
    super(appContext, terminal);
  }
}

/** `user reset-password <user>` */
@SubCommand({
  name: 'reset-password',
  arguments: '<user>',
  argsDescription: WHO,
  description:
    'Set a new password, which is asked for or the first line of standard input, and end all sessions.',
})
export class ResetPasswordCommand extends CommandRunner {
  constructor(
    private readonly appContext: AppContext,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  override async run([name = '']: string[], options: { generate?: boolean }): Promise<void> {
    const { password, shown } = await newPassword(options.generate === true, this.terminal);
    await this.appContext.open(async (operations) => {
      const user = await operations.find(name);
      await operations.updateUser(user, { password });
      // At once, from known data: nothing may fail between the write and the only output of the password.
      this.terminal.print({ id: user.id, username: user.username, ...shown });
    });
  }

  @Option(GENERATE)
  generate(): boolean {
    return true;
  }
}

/** `user`: the commands on users. */
@Command({
  name: 'user',
  description: 'Create users, grant and revoke roles, reset passwords.',
  subCommands: [CreateUserCommand, GrantRoleCommand, RevokeRoleCommand, ResetPasswordCommand],
})
export class UserCommand extends GroupCommand {}
