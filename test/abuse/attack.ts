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
  /** Some more accounts of the attacker. */
  readonly accounts: readonly Account[];
}

/** A user who has logged in, and whose password is {@link PASSWORD}. */
export interface Account {
  readonly id: string;
  readonly username: string;
  readonly cookie: string;
}

/** The password of everybody. */
export const PASSWORD = 'correct horse battery';

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
  return sent('POST', body, path, cookie);
}

/** The bytes of a PUT of JSON. */
export function put(body: string, path: string, cookie: string): string {
  return sent('PUT', body, path, cookie);
}

function sent(method: string, body: string, path: string, cookie: string | undefined): string {
  const length = Buffer.byteLength(body);
  const caller = cookie === undefined ? '' : `cookie: ${cookie}\r\n`;
  const headers = `host: kindred.test\r\n${caller}content-type: application/json\r\ncontent-length: ${length}\r\n`;
  return `${method} /api/v1/${path} HTTP/1.1\r\n${headers}\r\n${body}`;
}

/** Keeps connections as they are for some time, and ends those that are left. */
export async function hold(sockets: readonly Socket[], milliseconds: number): Promise<void> {
  await sleep(milliseconds);
  for (const socket of sockets) socket.destroy();
}

/** One thing that a client does over and over, with connections of its own. */
export type Deed = (agent: Agent) => Promise<unknown>;

/** What is sent; a GET if there is no body. */
interface Message {
  readonly method?: 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | object;
}

/** Reads some paths, one each time. */
export function reading(url: string, paths: readonly string[], cookie: string): Deed {
  let n = 0;
  return (agent) => ask(agent, url + (paths[n++ % paths.length] ?? ''), { headers: { cookie } });
}

/** Changes some records, one each time: path → the prop that changes. */
export function changing(url: string, props: Readonly<Record<string, string>>, cookie: string): Deed {
  const all = Object.entries(props);
  let n = 0;
  return (agent) => {
    const [path, prop] = all[n++ % all.length] ?? ['', ''];
    return ask(agent, url + path, { method: 'PUT', headers: { cookie }, body: { [prop]: `new ${n}` } });
  };
}

/** Logs in. */
export function loggingIn(url: string, login: string, password: string): Deed {
  return (agent) => ask(agent, `${url}/api/v1/sessions`, { method: 'POST', body: { login, password } });
}

/** Uploads a picture and makes it the avatar of its user. */
export function importing(url: string, userId: string, cookie: string, png: Buffer): Deed {
  return async (agent) => {
    const objectFileId = await uploaded(agent, url, cookie, png);
    const path = `${url}/api/v1/users/${userId}/import-avatar`;
    await ask(agent, path, { method: 'PUT', headers: { cookie }, body: { objectFileId } });
  };
}

/** Uploads a picture, and returns the id of its file. */
export async function uploaded(agent: Agent, url: string, cookie: string, png: Buffer): Promise<string> {
  const body = { filename: 'a.png', contentType: 'image/png', sizeInBytes: png.length };
  const created = await ask(agent, `${url}/api/v1/objectfiles`, {
    method: 'POST',
    headers: { cookie },
    body,
  });
  const { props, meta } = JSON.parse(created) as {
    props: { id: string };
    meta: { presignedUrl: string; uploadHeaders: Record<string, string> };
  };
  await ask(agent, meta.presignedUrl, { method: 'PUT', headers: meta.uploadHeaders, body: png });
  return props.id;
}

/** How long something takes, done over and over until `work` is over, and `least` times. */
export async function timesDuring(deed: Deed, least: number, work: Promise<unknown>): Promise<Times> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const took: number[] = [];
  let isDone = false;
  const over = work.finally(() => (isDone = true));
  for (let i = 0; !isDone || i < least; i++) {
    const began = performance.now();
    await deed(agent);
    took.push(performance.now() - began);
    await sleep(10);
  }
  agent.destroy();
  await over;
  took.sort((a, b) => a - b);
  return { most: took[Math.floor(took.length * 0.9)] ?? 0, longest: took.at(-1) ?? 0 };
}

function ask(agent: Agent, url: string, { method, headers, body }: Message): Promise<string> {
  return new Promise((settle, reject) => {
    const bytes = Buffer.isBuffer(body) || !body ? body : Buffer.from(JSON.stringify(body));
    const all = {
      ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
      ...headers,
    };
    const call = request(url, { agent, method: method ?? 'GET', headers: all }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => {
        if (answer.statusCode === 200 || answer.statusCode === 201) settle(text);
        else reject(new Error(`${url} answered ${answer.statusCode}: ${text}`));
      });
    });
    call.on('error', reject).end(bytes);
  });
}
