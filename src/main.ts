import { StartupError } from './config/startup-error.js';
import { keepHeapSmall } from './heap.js';

/** What start-up tells the operator goes to standard error; standard output is the log's. */
const say = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  // Heard from the first moment: a start that is interrupted must not leave a database behind.
  const asked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  // Imported here, because a wrong declaration of a kind throws while its module is loaded.
  const { startService } = await import('./service.js');
  const service = await startService(process.env, say);
  if (service.newAdmin) {
    const { username, password } = service.newAdmin;
    say(`First administrator: ${username}${password ? `, password ${password} (shown this once)` : ''}`);
  }
  say(`Kindred listens on ${service.url}`);
  const isLost = await Promise.race([asked.then(() => false), service.lost.then(() => true)]);
  say('Stopping …');
  await service.stop();
  if (isLost) throw new StartupError('The embedded database ended by itself: start Kindred again.');
}

keepHeapSmall();
try {
  await main();
  process.exit(0);
} catch (error) {
  say(error instanceof StartupError ? error.message : String(error instanceof Error ? error.stack : error));
  process.exit(1);
}
