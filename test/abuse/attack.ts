import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The service under attack, and what an attacker with one account has. */
export interface Target {
  readonly url: string;
  /** Cookie header of the attacker. */
  readonly cookie: string;
  /** A path of a list with many large records. */
  readonly large: string;
}

/** One row of the table: what an attacker does. It ends by itself, within some seconds, and leaves no connection. */
export interface Attack {
  readonly name: string;
  readonly run: (target: Target) => Promise<void>;
}

/** Milliseconds that answers took. */
export interface Times {
  /** Nine of ten took no longer. */
  readonly most: number;
  readonly longest: number;
}

/** A connection that sends `bytes`; what comes back is not read, unless `reads`. */
export function open(url: string, bytes: string, reads = true): Socket {
  // Another address than that of the client who is measured: all of this network are the machine itself.
  const localAddress = process.platform === 'linux' ? '127.0.0.2' : undefined;
  const port = Number(new URL(url).port);
  const socket = connect({ host: '127.0.0.1', port, localAddress }, () => socket.write(bytes));
  socket.on('error', () => undefined);
  if (reads) socket.resume();
  else socket.pause();
  return socket;
}

/** The bytes of a GET. */
export function get(path: string, cookie: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: kindred.test\r\ncookie: ${cookie}\r\n\r\n`;
}

/** The bytes of a POST of JSON, by default to the echo. */
export function post(body: string, path = 'test', cookie?: string): string {
  const length = Buffer.byteLength(body);
  const caller = cookie === undefined ? '' : `cookie: ${cookie}\r\n`;
  const headers = `host: kindred.test\r\n${caller}content-type: application/json\r\ncontent-length: ${length}\r\n`;
  return `POST /api/v1/${path} HTTP/1.1\r\n${headers}\r\n${body}`;
}

/** Keeps connections as they are for some time, and ends those that are left. */
export async function hold(sockets: readonly Socket[], milliseconds: number): Promise<void> {
  await sleep(milliseconds);
  for (const socket of sockets) socket.destroy();
}

/** How long some paths take, asked in turn over and over until `work` is done, on a connection of their own. */
export async function timesDuring(
  url: string,
  paths: readonly string[],
  cookie: string,
  work: Promise<unknown>,
): Promise<Times> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const took: number[] = [];
  let isDone = false;
  const over = work.finally(() => (isDone = true));
  for (let i = 0; !isDone || i < 20; i++) {
    const began = performance.now();
    await ask(url + (paths[i % paths.length] ?? ''), cookie, agent);
    took.push(performance.now() - began);
    await sleep(10);
  }
  agent.destroy();
  await over;
  took.sort((a, b) => a - b);
  return { most: took[Math.floor(took.length * 0.9)] ?? 0, longest: took.at(-1) ?? 0 };
}

function ask(url: string, cookie: string, agent: Agent): Promise<void> {
  return new Promise((settle, reject) => {
    const call = request(url, { agent, headers: { cookie } }, (answer) => {
      answer.resume().on('end', () => {
        if (answer.statusCode === 200) settle();
        else reject(new Error(`${url} answered ${answer.statusCode}`));
      });
    });
    call.on('error', reject).end();
  });
}
