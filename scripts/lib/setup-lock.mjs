import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { ROOT, inRoot } from './paths.mjs';

const FILE = inRoot('.cache', 'setup.lock');
/** No install or build takes that long: the number of a holder that died may belong to somebody else by now. */
const STALE_MS = 30 * 60_000;

/** Runs a step while no other process installs or builds in this folder. */
export async function withSetupLock(step) {
  try {
    mkdirSync(inRoot('.cache'), { recursive: true });
  } catch (error) {
    refuse(error);
  }
  for (let told = false; !take(); await new Promise((resolve) => setTimeout(resolve, 200))) {
    const pid = holder();
    if (pid === undefined) rmSync(FILE, { force: true });
    else if (!told) {
      console.error(`Waiting for process ${pid}, which is installing or building here …`);
      told = true;
    }
  }
  const release = () => rmSync(FILE, { force: true });
  process.once('exit', release);
  try {
    return await step();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

function take() {
  try {
    writeFileSync(FILE, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    return refuse(error);
  }
}

/** Ends this process with one line where its user may not write to the folder, such as that of a checkout of root's. */
function refuse(error) {
  if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
  console.error(
    `Something must be installed or built in ${ROOT}, but this user may not write there (${error.code}): run npm start once as the owner of the folder, or make this user its owner (chown -R).`,
  );
  process.exit(1);
}

/** The living process that holds the lock, or undefined when the lock is stale. */
function holder() {
  try {
    const age = Date.now() - statSync(FILE).mtimeMs;
    const text = readFileSync(FILE, 'utf8');
    if (text === '') return age < 5_000 ? 'unknown' : undefined; // Just being written.
    if (age > STALE_MS) return undefined;
    process.kill(Number(text), 0);
    return Number(text);
  } catch (error) {
    return error.code === 'EPERM' ? 'unknown' : undefined;
  }
}
