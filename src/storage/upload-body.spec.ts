import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { receiveBody } from './upload-body.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-body-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('ends an upload that goes on when its time is over', async () => {
  const endsAt = Date.now() + 200;
  const pace = { uploadWindow: 50, uploadBytes: 1, endsAt };
  const file = join(folder, 'late');
  let told: Promise<unknown> = Promise.resolve();
  const server = createServer((incoming) => {
    told = receiveBody(incoming, file, 1_000_000, pace, () => Promise.resolve()).catch(
      (error: unknown) => error,
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sending = request({ port, method: 'PUT', headers: { 'content-length': 1_000_000 } });
  const drip = setInterval(() => sending.write('12345'), 10);
  try {
    await once(sending, 'error');
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
    expect(await told).toMatchObject({ status: 400 });
    expect((await stat(file)).size).toBeGreaterThan(5);
  } finally {
    clearInterval(drip);
    sending.destroy();
    server.close();
    server.closeAllConnections();
  }
});
