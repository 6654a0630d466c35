import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { clientErrors } from './client-errors.js';
import { HTTP_LIMITS } from './limits.js';
import { Pipelining } from './pipelining.js';

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const UPLOAD = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n';
const NO_CHUNK = 'what?\r\n';

/** What a client reads until the connection closes, of a server that answers by `listener`. */
async function readOf(listener: RequestListener, send: (write: (bytes: string) => void) => Promise<void>) {
  const server = createServer({}, listener);
  const pipelining = new Pipelining(HTTP_LIMITS);
  pipelining.install(server);
  server.on('clientError', clientErrors({ info: () => undefined }, HTTP_LIMITS, pipelining));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    const read = text(client);
    await send((bytes) => void client.write(bytes));
    return await read;
  } finally {
    client.destroy();
    server.closeAllConnections();
    server.close();
  }
}

it('adds no refusal to an answer that has begun', async () => {
  let begun: () => void = () => undefined;
  const isBegun = new Promise<void>((resolve) => (begun = resolve));
  const read = await readOf(
    (_request, response) => response.write('begun', () => begun()),
    async (write) => {
      write(UPLOAD);
      await isBegun;
      write(NO_CHUNK);
    },
  ).catch((error: Error) => error.message);
  expect(read).not.toContain(' 400 ');
  expect(read).toMatch(/begun|ECONNRESET/);
});

it('refuses a broken body after the answers to what came before it', async () => {
  const read = await readOf(
    (request, response) => void (request.method === 'GET' && response.end('first')),
    (write) => Promise.resolve(write(GET + UPLOAD + NO_CHUNK)),
  );
  expect(read.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  expect(read.indexOf('first')).toBeLessThan(read.indexOf('HTTP/1.1 400'));
});
