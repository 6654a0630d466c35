import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { cutWhenStalled } from './send-bytes.js';

const STALL_MS = 3000;
const PAUSE_MS = 50;
const SIZE = 40 * 1024 * 1024;
const STEP = SIZE / 10;

let server: Server;
beforeAll(async () => {
  server = createServer((_request, response) => {
    cutWhenStalled(response, STALL_MS);
    response.end(Buffer.alloc(SIZE));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A client that stops for a while after every step, or before the first one for good; the bytes it gets. */
async function taken(pauseMs: number): Promise<number> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    const steps = Math.floor(bytes / STEP);
    bytes += chunk.length;
    if (Math.floor(bytes / STEP) === steps && bytes > chunk.length) return;
    socket.pause();
    setTimeout(() => socket.resume(), pauseMs);
  });
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  await closed;
  return bytes;
}

it('ends an answer that nobody takes, and leaves alone one that somebody takes slowly', async () => {
  const [stalled, slow] = await Promise.all([taken(3 * STALL_MS), taken(PAUSE_MS)]);
  expect(stalled).toBeLessThan(SIZE);
  expect(slow).toBeGreaterThan(SIZE);
});
