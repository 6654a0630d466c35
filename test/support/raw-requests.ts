import { connect } from 'node:net';
import type { Json } from './client.js';

/** What came back on a connection until it ended, or until `wait` milliseconds had passed. */
export interface RawAnswer {
  readonly text: string;
  readonly closed: boolean;
  /** Statuses of all answers in it. */
  readonly statuses: number[];
}

/** Sends bytes as they are: for what fetch would repair or refuse. */
export function sendBytes(url: string, bytes: string | Buffer, wait = 2000): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    const end = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      resolve({ text, closed, statuses });
    };
    const timer = setTimeout(() => end(false), wait);
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('end', () => end(true)).on('error', () => end(true));
  });
}

/** One request on a connection of its own, with exactly these header lines beside Host and Connection. */
export function sendRequest(
  url: string,
  line: string,
  headers: readonly string[] = [],
  body = '',
  host = 'kindred.test',
): Promise<RawAnswer> {
  const length = body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  const head = [`${line} HTTP/1.1`, `host: ${host}`, 'connection: close', ...length, ...headers];
  return sendBytes(url, `${head.join('\r\n')}\r\n\r\n${body}`, 5000);
}

/** The JSON of the one answer that {@link sendRequest} got. */
export function jsonOf({ text }: RawAnswer): Json {
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as Json;
}
