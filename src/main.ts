import { StartupError } from './common/startup-error.js';
import { tuneGarbageCollector } from './common/garbage-collector.js';
import { openSink } from './http/log-sink.js';
import { untilAskedToStop } from './common/stop-signals.js';

/** Messages to the operator go to standard error. Standard output is for the log. */
const errors = openSink(2);
const say = (line: string) => errors.write(`${line}\n`);

async function main(): Promise<void> {
  // Listen from the beginning: an interrupted start must not leave a database running.
  const asked = untilAskedToStop(() => {
    say('Stopping at once.');
    process.exit(1);
  });
  // Imported here, because a wrong declaration of a kind throws while its module is loaded.
  const loaded = await Promise.race([import('./service.js'), asked.then(() => null)]);
  if (loaded === null) {
    say('Stopping …');
    return;
  }
  const service = await loaded.startService(process.env, say, { asked });
  if (service === null) return;
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

// By itself Node would write warnings to standard error, and wait for whoever reads that.
process.removeAllListeners('warning');
process.on('warning', ({ name, message }) => say(`${name}: ${message}`));
tuneGarbageCollector();
try {
  await main();
  process.exit(0);
} catch (error) {
  say(error instanceof StartupError ? error.message : String(error instanceof Error ? error.stack : error));
  process.exit(1);
}
