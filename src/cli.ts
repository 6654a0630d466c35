import { CommandError, reasonOf } from './cli/command-error.js';
import { StartupError } from './config/startup-error.js';

/*
 * `npm run cli -- <command>`: the entry of the command line. Results go to standard output, as JSON; everything else goes
 * to standard error. The exit code is 0, or 1 with one line that says what is wrong.
 */

try {
  // Imported here, because a wrong declaration of a kind throws while its module is loaded.
  const { runCommand } = await import('./cli/cli.module.js');
  await runCommand();
  // Standard output may still be on its way into a pipe: the process ends by itself.
} catch (error) {
  const isOurs = error instanceof StartupError || error instanceof CommandError;
  const text = isOurs
    ? error.message
    : (reasonOf(error) ?? String(error instanceof Error ? error.stack : error));
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
