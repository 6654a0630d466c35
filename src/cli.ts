import { faultOf } from './cli/command-error.js';
import { Terminal } from './cli/terminal.js';

/*
 * `npm run cli -- <command>`: the entry of the command line. Results go to standard output, as JSON; everything else goes
 * to standard error. The exit code is 0, or 1 with one line that says what is wrong.
 */

const { argv, env, stdin, stdout, stderr } = process;
const terminal = new Terminal(argv.slice(2), env, stdin, stdout, stderr);
try {
  // Imported here, because a wrong declaration of a kind throws while its module is loaded.
  const { runCommand } = await import('./cli/cli.module.js');
  await runCommand(terminal);
  // Standard output may still be on its way into a pipe: the process ends by itself.
} catch (error) {
  terminal.say(faultOf(error));
  process.exitCode = 1;
}
