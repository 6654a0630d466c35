// npm run bench:files: what imports and large uploads do to the rest of the service, on the embedded storage. Prints the
// figures of docs/performance-files.md. Needs a build (npm run build); reads the process's memory from /proc, so Linux only.
// The imports are asked for by a thread of their own: the reads are to wait for the service, and not for this script.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import autocannon from 'autocannon';
import sharp from 'sharp';

const IMPORTS = 20;
/** Imports that a client has under way: as many as one user may have waiting. */
const LANES = 8;
const SIDE = [4000, 3000];
/** The largest picture that may be uploaded, and how many of them: types that nothing takes are refused. */
const LARGE = 50 * 1024 ** 2;
const UPLOADS = 20;
const PASSWORD = 'correct horse battery';
const READ_SECONDS = 10;
const ROUNDS = 3;
const CONNECTIONS = 4;
/** Reads a second: a busy service, which has processor time left. */
const RATE = 200;

/** Most memory of the service seen while the large upload ran. */
let peak = 0;
let child;

if (isMainThread) await main();
else await importAll(workerData);

async function main() {
  const dataDir = await mkdtemp(join(tmpdir(), 'kindred-bench-files-'));
  child = spawn(process.execPath, ['dist/src/main.js'], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: dataDir,
      ADMIN_PASSWORD: PASSWORD,
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  process.on('exit', () => child.kill());
  try {
    await measure(await listening());
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(url) {
  const call = await login(url);
  const list = `${url}/api/v1/users?itemsPerPage=10`;
  const image = await photo();
  console.log(
    `${availableParallelism()} processors, load ${loadavg()[0].toFixed(1)}, Node.js ${process.version}; photo of ${mega(image.length)}`,
  );
  await read(list, 3); // warm up
  const alone = [];
  const during = [];
  const before = memory();
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(...(await read(list, READ_SECONDS)));
    const ids = [];
    for (let i = 0; i < IMPORTS; i++) ids.push((await upload(call, 'photo.jpg', 'image/jpeg', [image])).id);
    const begin = performance.now();
    const thread = new Worker(new URL(import.meta.url), { workerData: { url, call: { ...call }, ids } });
    let codes = null;
    thread.once('message', (message) => (codes = message));
    during.push(...(await read(list, READ_SECONDS, () => codes)));
    console.log(`imports: status ${codes}, ${((performance.now() - begin) / 1000).toFixed(1)} s in all`);
  }
  report('reads alone', alone);
  report(`reads while ${IMPORTS} imports run`, during);
  console.log(`p99 is ${(at(during, 0.99) / at(alone, 0.99)).toFixed(2)} times that of reads alone`);
  console.log(`memory of the service: ${mega(before)} before, ${mega(memory('VmHWM'))} at most`);

  const start = memory();
  const chunk = randomBytes(1024 * 1024);
  const sending = performance.now();
  for (let i = 0; i < UPLOADS; i++)
    await upload(call, 'large.jpg', 'image/jpeg', repeat(chunk, LARGE), LARGE);
  const seconds = (performance.now() - sending) / 1000;
  console.log(
    `${UPLOADS} uploads of ${mega(LARGE)}: ${((UPLOADS * LARGE) / 1024 ** 2 / seconds).toFixed(0)} MB/s, memory ${mega(start)} before, ${mega(peak)} at most`,
  );
}

/** Begins as many imports as may wait, then another one after each, and tells the statuses of the answers. */
async function importAll({ url, call, ids }) {
  const answers = [];
  const lane = async () => {
    const one = caller(url, call.cookie);
    for (let objectFileId; (objectFileId = ids.shift());) {
      answers.push(await one('PUT', `/users/${call.me}/import-avatar`, { objectFileId }));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  parentPort.postMessage([...new Set(answers.map(({ status }) => status))].join(', '));
}

function* repeat(chunk, total) {
  for (let sent = 0; sent < total; sent += chunk.length) {
    peak = Math.max(peak, memory());
    yield chunk;
  }
}

async function upload(call, filename, contentType, chunks, sizeInBytes = chunks[0].length) {
  const made = await call('POST', '/objectfiles', { filename, contentType, sizeInBytes });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const { presignedUrl, uploadHeaders } = made.body.meta;
  const sending = request(presignedUrl, { method: 'PUT', headers: uploadHeaders, agent: false });
  const answered = once(sending, 'response');
  await pipeline(Readable.from(chunks), sending);
  const [response] = await answered;
  response.resume();
  if (response.statusCode !== 200) throw new Error(`The upload was answered ${response.statusCode}.`);
  return { id: made.body.props.id, status: response.statusCode };
}

/** Reads for some seconds, or for as long as `until` says no; latencies in milliseconds. */
async function read(url, seconds, until) {
  const latencies = [];
  const run = autocannon({
    url,
    connections: CONNECTIONS,
    overallRate: RATE,
    duration: until ? 600 : seconds,
  });
  run.on('response', (_client, _status, _bytes, ms) => latencies.push(ms));
  const watch = until && setInterval(() => until() && run.stop(), 50);
  const { non2xx, errors } = await run;
  clearInterval(watch);
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} reads failed.`);
  return latencies;
}

function at(latencies, q) {
  return latencies.toSorted((a, b) => a - b)[Math.floor(q * (latencies.length - 1))];
}

function report(what, latencies) {
  const [p50, p99, longest] = [0.5, 0.99, 1].map((q) => at(latencies, q));
  console.log(
    `${what}: ${latencies.length} reads, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${longest.toFixed(0)} ms`,
  );
}

/** A photo's worth of detail: noise, softened. */
async function photo() {
  const [width, height] = SIDE;
  const noise = randomBytes((width / 8) * (height / 8) * 3);
  return sharp(noise, { raw: { width: width / 8, height: height / 8, channels: 3 } })
    .resize(width, height)
    .jpeg({ quality: 88 })
    .toBuffer();
}

function caller(url, cookie) {
  return async (method, path, body) => {
    const headers = { ...(body && { 'content-type': 'application/json' }), ...(cookie && { cookie }) };
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers,
      body: body && JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
}

async function login(url) {
  const { body } = await caller(url)('POST', '/sessions', { login: 'admin', password: PASSWORD });
  const cookie = `appSessionId=${body.props.id}`;
  const call = caller(url, cookie);
  const { props } = (await call('GET', '/users/whoami')).body;
  return Object.assign(call, { cookie, me: props.id });
}

async function listening() {
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /listens on (\S+)/.exec(line)?.[1];
    if (!url) continue;
    child.stderr.resume();
    return url;
  }
  throw new Error('The service did not start: run npm run build first.');
}

/** Bytes that the service's own process holds (VmRSS) or has held at most (VmHWM). */
function memory(field = 'VmRSS') {
  const text = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(text)?.[1]) * 1024;
}

function mega(bytes) {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
