import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installed } from './installed.js';
import { stoppedAtTheEnd } from './left-running.js';

/** HAProxy, where this machine has it, and addresses of its own to listen on, which Linux gives away by the million. */
export const HAPROXY = process.platform === 'linux' ? installed('haproxy') : null;

/** The balancer of deploy/haproxy.cfg. */
export interface Balancer {
  /** Of the API, `http://host:port`. */
  readonly url: string;
  /** Of the storage. */
  readonly storageUrl: string;
  /** The lines of its log so far. */
  lines(): string[];
  stop(): Promise<void>;
}

/** A network of this machine that nothing else uses: the ports of the shipped files are free on each of its hosts. */
export function ownNetwork(): (host: number) => string {
  const part = () => 2 + Math.floor(Math.random() * 250);
  const network = `127.${part()}.${part()}`;
  return (host) => `${network}.${host}`;
}

/**
 * Starts HAProxy with the shipped configuration. Nothing of it is changed but the address that it listens on.
 * @param host to listen on, ports 3000 and 9000
 * @param env what compose.yaml gives it: KINDRED_1, KINDRED_2, STORAGE, S3_BUCKET
 */
export async function startBalancer(host: string, env: Readonly<Record<string, string>>): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-balancer-'));
  const file = join(folder, 'haproxy.cfg');
  const shipped = readFileSync('deploy/haproxy.cfg', 'utf8');
  writeFileSync(file, shipped.replace(/^ {2}bind :/gm, `  bind ${host}:`));
  // In the foreground, and its log on standard output.
  const child = spawn(HAPROXY ?? 'haproxy', ['-db', '-f', file], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let text = '';
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const stop = stoppedAtTheEnd(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  for (const port of [3000, 9000]) {
    while (!(await listens(host, port))) {
      if (child.exitCode !== null) throw new Error(`HAProxy did not start: ${said}`);
      await sleep(20);
    }
  }
  const lines = () => text.split('\n').slice(0, -1);
  return { url: `http://${host}:3000`, storageUrl: `http://${host}:9000`, lines, stop };
}

async function listens(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  try {
    return await once(socket, 'connect').then(
      () => true,
      () => false,
    );
  } finally {
    socket.destroy();
  }
}
