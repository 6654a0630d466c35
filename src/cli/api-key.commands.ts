import { Command, CommandRunner, Option, SubCommand } from 'nest-commander';
import { AppContext } from './app-context.js';
import { CommandError } from './command-error.js';
import { GroupCommand } from './group-command.js';
import { Terminal } from './terminal.js';

/** `apikey create <user> <name>` */
@SubCommand({
  name: 'create',
  arguments: '<user> <name>',
  argsDescription: { user: 'username, e-mail address or id of the owner', name: 'what the key is called' },
  description: 'Create an API key and print what logs in with it: this once.',
})
export class CreateApiKeyCommand extends CommandRunner {
  constructor(
    private readonly appContext: AppContext,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  override async run([user = '', name = '']: string[], options: { expires?: string }): Promise<void> {
    const body = { name, ...(options.expires !== undefined && { expiresAt: options.expires }) };
    await this.appContext.open(async (operations) => {
      const { props, meta } = await operations.createApiKey(await operations.find(user), body);
      // At once: the secret is shown this once, whatever happens while the service is closed.
      this.terminal.print({ apiKey: props.id, privateKey: meta?.privateKey });
    });
  }

  @Option({ flags: '--expires <date>', description: 'from then on the key is of no use, like 2030-12-31' })
  expires(value: string): string {
    if (Number.isNaN(Date.parse(value))) throw new CommandError('--expires must be a date like 2030-12-31.');
    return value;
  }
}

/** `apikey`: the commands on API keys. */
@Command({ name: 'apikey', description: 'Create API keys.', subCommands: [CreateApiKeyCommand] })
export class ApiKeyCommand extends GroupCommand {}
