import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { withTimeout } from '../../common/with-timeout.js';
import { StartupError } from '../../common/startup-error.js';
import { type Account } from './account.js';
import { type Binaries } from './binaries.js';
import { type ClusterPaths } from './cluster.js';
import { HOST, ensureDatabase } from './connection.js';
import { messageOf } from '../../common/error-code.js';
import { hasCode, pause } from './errno.js';
import { handFolder } from './folder.js';
import { FOLDER_SETTING, folderIdentity } from './folder-identity.js';
import { freePort } from './free-port.js';
import { keepLogBounded, openLog, readLog, rotateLog } from './log-file.js';
import { lastLines, neutralFolder, toolEnvironment } from './run-tool.js';
import { signalServer } from './signals.js';

const PORT_ATTEMPTS = 5;
const READY_MS = 60_000;
/** How long recovery may take: large write-ahead logs take time. */
const RECOVERY_MS = 15 * 60_000;
const FAST_STOP_MS = 10_000;
const IMMEDIATE_STOP_MS = 10_000;

/** A running server on the loopback interface. */
export interface Server {
  port: number;
  /** Resolves when the process has ended for any reason. */
  ended: Promise<void>;
  /** Fast shutdown; resolves when the process has ended, after at most 20 s. */
  stop(): Promise<void>;
}

/** Options for starting a server. `settings` are passed as `-c name=value`. */
export interface ServerOptions {
  paths: ClusterPaths;
  binaries: Binaries;
  account: Account | undefined;
  password: string;
  settings: Record<string, string>;
  progress: (line: string) => void;
  /** Called for each started process, with a function that ends it without waiting (fast shutdown) when we exit. */
  onSpawn: (abandon: () => void) => void;
}

/**
 * Starts the server on a free port and makes sure of the service's database.
 * @throws StartupError with the server's last words when it doesn't come up.
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  rotateLog(options.paths.log);
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(HOST);
    const run = spawnServer(options, port);
    const fault = await untilReady(run, options);
    if (fault === undefined) return serverOf(run, options);
    run.expectedToEnd = true;
    await endServer(run, options.binaries);
    // Between finding the port and listening on it, somebody else may have taken it.
    const taken = /Address already in use|could not bind|could not create any TCP\/IP sockets/.test(fault);
    if (!taken || attempt === PORT_ATTEMPTS) {
      throw new StartupError(`PostgreSQL did not start: ${fault} (its log: ${options.paths.log}).`);
    }
  }
}

interface Run {
  child: ChildProcess;
  port: number;
  expectedToEnd: boolean;
  ended: Promise<void>;
  hasEnded: boolean;
  /** Why the process could not be started, if so. */
  fault: string | undefined;
  log: () => string;
}

/**
 * A process group of its own keeps a terminal's Ctrl-C from the server: the service must drain first. Its output goes
 * straight to the log, so that it outlives a killed service without breaking a pipe.
 */
function spawnServer(options: ServerOptions, port: number): Run {
  const { paths, binaries, account, settings, progress, onSpawn } = options;
  const folder = handFolder(paths.cluster, account);
  const log = openLog(paths.log);
  try {
    const child = spawn(
      binaries.postgres,
      serverArguments(folder.path, port, {
        ...settings,
        [FOLDER_SETTING]: folderIdentity(paths.cluster) ?? '',
      }),
      {
        ...account,
        cwd: neutralFolder(binaries.postgres),
        env: toolEnvironment(),
        detached: true,
        windowsHide: true,
        stdio: ['ignore', log.fd, log.fd, ...(folder.fd === undefined ? [] : [folder.fd])],
      },
    );
    const run: Run = {
      child,
      port,
      expectedToEnd: false,
      ended: Promise.resolve(),
      hasEnded: false,
      fault: undefined,
      log: () => readLog(paths.log, log.start),
    };
    run.ended = new Promise((resolve) => {
      const end = (fault?: string): void => {
        run.fault = fault;
        run.hasEnded = true;
        resolve();
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => {
        if (!run.expectedToEnd)
          progress(`PostgreSQL ended (${signal ?? `code ${code}`}); its log: ${paths.log}`);
        end();
      });
    });
    onSpawn(() => {
      run.expectedToEnd = true;
      if (!run.hasEnded) child.kill('SIGINT');
    });
    return run;
  } finally {
    closeSync(log.fd);
    folder.close();
  }
}

/**
 * Messages can contain values, details can contain whole rows, and statements can contain anything. The service gets the
 * errors of its statements and logs them by code, so the server's log is only about the server itself.
 */
const QUIET_LOG = {
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
};

/** The arguments, including the folder, from which a later start identifies the server. */
function serverArguments(folder: string, port: number, settings: Record<string, string>): string[] {
  const all: Record<string, string> = {
    listen_addresses: HOST,
    unix_socket_directories: '',
    max_connections: '120',
    ...QUIET_LOG,
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
  };
  return [
    '-D',
    folder,
    '-p',
    String(port),
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/** Resolves to undefined when the database responds, otherwise to the reason. */
async function untilReady(run: Run, { paths, password }: ServerOptions): Promise<string | undefined> {
  const start = Date.now();
  let last = '';
  for (let limit = READY_MS; Date.now() - start < limit; await pause(25)) {
    if (run.hasEnded) return run.fault ?? lastLines(run.log());
    try {
      await ensureDatabase({ port: run.port, password }, paths.cluster);
      return undefined;
    } catch (error) {
      last = messageOf(error);
      if (hasCode(error, '28P01')) {
        return 'it refuses the password kept beside it; remove postgres-password and restart to have a new one set';
      }
      if (hasCode(error, '57P03')) limit = RECOVERY_MS;
    }
  }
  return `no answer within ${READY_MS / 1000} s (${last}): ${lastLines(run.log())}`;
}

function serverOf(run: Run, { binaries, paths }: ServerOptions): Server {
  void run.ended.then(keepLogBounded(paths.log));
  return {
    port: run.port,
    ended: run.ended,
    async stop() {
      run.expectedToEnd = true;
      await endServer(run, binaries);
    },
  };
}

async function endServer(run: Run, binaries: Binaries): Promise<void> {
  const steps = [
    { signal: 'INT', ms: FAST_STOP_MS },
    { signal: 'QUIT', ms: IMMEDIATE_STOP_MS },
  ] as const;
  for (const { signal, ms } of steps) {
    if (run.hasEnded || run.child.pid === undefined) return;
    await signalServer(binaries, run.child.pid, signal);
    await withTimeout(ms, run.ended, undefined);
  }
  if (!run.hasEnded) run.child.kill('SIGKILL');
}
