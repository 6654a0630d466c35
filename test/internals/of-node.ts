import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import { closeWith, stopParsing, unreadOf } from '../../src/http/node-internals.js';
import type { Internal } from './internal.js';

const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

/** Runs `work` with a connection to an HTTP server, as the client has it and as the server has it. */
async function withConnection(
  listener: RequestListener,
  work: (client: Socket, socket: Socket, server: Server) => Promise<void>,
): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const arrival = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = await arrival;
  try {
    await work(client, socket, server);
  } finally {
    client.destroy();
    server.closeAllConnections();
    server.close();
  }
}

/** What is used of Node.js. */
export const ofNode: readonly Internal[] = [
  {
    package: 'node',
    member: 'HTTP parser: onIncoming, and what it returns',
    files: ['src/http/node-internals.ts', 'src/http/pipelining.ts'],
    holds: async () => {
      let seen = 0;
      const count: RequestListener = (_request, response) => {
        seen++;
        response.end();
      };
      await withConnection(count, async (client, socket) => {
        expect(stopParsing(socket, () => seen === 2)).toBe(true);
        client.end(REQUEST.repeat(5));
        await text(client);
        expect(seen).toBe(2);
      });
    },
  },
  {
    package: 'node',
    member: 'Socket: _handle.bytesWritten, _handle.writeQueueSize',
    files: ['src/http/node-internals.ts', 'src/http/connections.ts'],
    holds: async () => {
      const size = 32 * 1024 * 1024;
      const answer: RequestListener = (_request, response) => response.end(Buffer.alloc(size));
      await withConnection(answer, async (client, socket, server) => {
        client.pause();
        const asked = once(server, 'request');
        client.write(REQUEST);
        await asked;
        // The system takes some at once; of one write Node says nothing until all is taken.
        expect(socket.writableLength).toBeGreaterThanOrEqual(size);
        expect(unreadOf(socket)).toBeGreaterThan(0);
        expect(unreadOf(socket)).toBeLessThan(size);
        const read = new Promise<void>((resolve) => {
          let bytes = 0;
          client.on('data', (chunk: Buffer) => (bytes += chunk.length) >= size && resolve());
        });
        client.resume();
        await read;
        expect(unreadOf(socket)).toBe(0);
      });
    },
  },
  {
    package: 'node',
    member: 'Socket: destroySoon, called after the last answer',
    files: ['src/http/node-internals.ts', 'src/http/lingering-close.ts'],
    holds: async () => {
      const last: RequestListener = (_request, response) =>
        response.setHeader('connection', 'close').end('x');
      await withConnection(last, async (client, socket) => {
        const closed = once(socket, 'close').then(() => 'by itself');
        const called = new Promise((resolve) => closeWith(socket, () => resolve('by us')));
        client.write(REQUEST);
        expect(await Promise.race([called, closed])).toBe('by us');
        expect([socket.writableEnded, socket.destroyed]).toEqual([false, false]);
      });
    },
  },
  {
    package: 'node',
    member: 'Timeout: _idleTimeout',
    files: ['test/cron/jobs.e2e-spec.ts'],
    holds: () => {
      const timer = setTimeout(() => undefined, 12_345);
      expect(timer).toHaveProperty('_idleTimeout', 12_345);
      clearTimeout(timer);
    },
  },
];
