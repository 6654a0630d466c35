import { type Binaries } from './binaries.js';
import { hasCode } from './errno.js';
import { runTool } from './run-tool.js';

/** INT: fast shutdown, with a checkpoint. QUIT: immediate; the next start recovers from the log of writes. */
export type ServerSignal = 'INT' | 'QUIT';

/** Signals a PostgreSQL server; one that has already ended is no error. */
export async function signalServer(binaries: Binaries, pid: number, signal: ServerSignal): Promise<void> {
  if (process.platform === 'win32') {
    // Windows has no signals: Node would end the process outright. PostgreSQL brings its own way.
    await runTool(binaries.pgCtl, ['kill', signal, String(pid)], { account: undefined });
    return;
  }
  try {
    process.kill(pid, `SIG${signal}`);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
