import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import sharp from 'sharp';
import type { ImageJob } from './media-jobs.js';
import { MediaProcess } from './media-process.js';

const ENOUGH = { cpuMs: 20_000, wallMs: 60_000 };

let folder: string;
let job: ImageJob;
const media = new MediaProcess();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-media-'));
  const input = join(folder, 'input');
  await sharp({ create: { width: 7000, height: 6000, channels: 3, background: '#345' } })
    .png({ compressionLevel: 1 })
    .toFile(input);
  const output = join(folder, 'output');
  const thumbnail = join(folder, 'thumbnail');
  job = { op: 'image', input, format: 'png', magic: ['image/png'], cover: null, output, thumbnail };
});
afterAll(async () => {
  media.terminate();
  await rm(folder, { recursive: true, force: true });
});

const finished = () => media.run({ ...job, cover: { width: 10, height: 10 } }, ENOUGH);
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const GOOD = { facts: { width: 10, height: 10, format: 'png' } };

it('refuses a picture that takes too much of the processor, and is ready for the next', async () => {
  media.warm();
  const first = media.pid ?? 0;
  await expect(media.run(job, { ...ENOUGH, cpuMs: 1 })).rejects.toMatchObject({ fault: 'time' });
  // It does not go on with the picture meanwhile.
  while (isAlive(first)) await sleep(10);
  expect(await finished()).toMatchObject(GOOD);
});

it('does not blame the picture for a busy machine, or for an end that came from outside', async () => {
  await expect(media.run(job, { ...ENOUGH, wallMs: 1 })).rejects.toThrow('had no time');
  expect(await finished()).toMatchObject(GOOD);
  const running = media.run(job, ENOUGH);
  process.kill(media.pid ?? 0, 'SIGKILL');
  await expect(running).rejects.toThrow('The media process ended.');
  expect(await finished()).toMatchObject(GOOD);
});

it('blames the picture when the process crashes over it', async () => {
  const running = media.run(job, ENOUGH);
  process.kill(media.pid ?? 0, 'SIGSEGV');
  await expect(running).rejects.toMatchObject({ fault: 'damaged' });
  expect(await finished()).toMatchObject(GOOD);
});
