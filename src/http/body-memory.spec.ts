import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failure } from '../../test/support/answers.js';
import { times } from '../../test/support/times.js';
import { type Running, boot, send } from './spec-support.js';

const KIB = 1024;
let run: Running;
beforeAll(async () => {
  run = await boot({ trustProxy: true, limits: { unparsedBytes: 460 * KIB, largeBodyBytes: 8 * KIB } });
});
afterAll(() => run.app.close());

interface Sender {
  readonly socket: Socket;
  /** Sends the rest of the body. */
  readonly finish: () => void;
  /** The status of the response. */
  readonly status: Promise<number>;
}

/** Sends the head and the first `sent` bytes of a body of 90 KiB. */
async function begin(network: string, sent: number): Promise<Sender> {
  const body = JSON.stringify({ a: 'x'.repeat(90 * KIB) });
  const head = `PUT /api/v1/test HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${network}\r\n`;
  const headers = `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const socket = connect(run.port, '127.0.0.1');
  socket.on('error', () => undefined);
  const status = once(socket, 'data').then(([data]) => Number(/^HTTP\/1\.1 (\d+)/.exec(String(data))?.[1]));
  await new Promise((sentAll) => socket.write(head + headers + body.slice(0, sent), sentAll));
  return { socket, status, finish: () => void socket.write(body.slice(sent)) };
}

/** Until the service has noticed that all clients have left. */
async function allLeft(): Promise<void> {
  const server = run.app.getHttpServer();
  const count = () =>
    new Promise<number>((settle) => server.getConnections((_error: unknown, open: number) => settle(open)));
  while ((await count()) > 0) await nextTurn();
}

describe('bodies that are not finished', () => {
  it('take limited memory: the network with the most bytes loses the one that has waited longest', async () => {
    const other = await begin('192.0.2.1', 60 * KIB);
    const many = await Promise.all(times(12, () => begin('192.0.2.2', 85 * KIB)));
    const statuses = many.map(({ status }) => status);
    // 460 KiB have room for four of theirs beside the other one.
    const refused = new Set<Sender>();
    await new Promise<void>((enough) => {
      for (const sender of many) {
        void sender.status.then((status) => {
          if (status === 503) refused.add(sender);
          if (refused.size >= 8) enough();
        });
      }
    });
    for (const sender of [other, ...many]) if (!refused.has(sender)) sender.finish();
    expect(await other.status).toBe(200);
    const received = await Promise.all(statuses);
    expect(received.filter((status) => status === 200)).toHaveLength(4);
    expect(received.filter((status) => status === 503)).toHaveLength(8);
    for (const { socket } of [other, ...many]) socket.destroy();
  });

  it('free their memory when they are complete, refused, or left', async () => {
    await allLeft();
    for (let round = 0; round < 3; round++) {
      const left = await Promise.all(times(4, () => begin('192.0.2.3', 80 * KIB)));
      for (const { socket } of left) socket.destroy();
      await allLeft();
    }
    for (let round = 0; round < 3; round++) {
      const whole = await Promise.all(times(4, () => begin('192.0.2.4', 80 * KIB)));
      for (const { finish } of whole) finish();
      expect(await Promise.all(whole.map(({ status }) => status))).toEqual([200, 200, 200, 200]);
      for (const { socket } of whole) socket.destroy();
    }
  });

  it('are refused with Retry-After, and their connections closed', async () => {
    const waiting = await Promise.all(times(6, () => begin('192.0.2.5', 85 * KIB)));
    const first: unknown[] = await Promise.race(waiting.map(({ socket }) => once(socket, 'data')));
    const text = String(first[0]);
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    expect(text).toMatch(/\r\nretry-after: \d+\r\n/i);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toEqual(failure(503));
    for (const { socket } of waiting) socket.destroy();
  });

  it('arrive whole, in pieces of any size', async () => {
    const body = { a: 'é'.repeat(5 * KIB), b: [1, 2, 3] };
    const text = JSON.stringify(body);
    const pieces = new ReadableStream({
      start(controller) {
        const bytes = Buffer.from(text);
        for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 1000 || 1)
          controller.enqueue(bytes.subarray(at, at + size));
        controller.close();
      },
    });
    const response = await run.fetch('/api/v1/test', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: pieces,
      duplex: 'half',
    });
    expect(await response.json()).toMatchObject({ body });
    expect(await send(run, 'PUT', '/api/v1/test', text)).toMatchObject({
      status: 200,
      json: { body },
    });
  });
});
