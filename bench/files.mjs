// npm run bench:files: what imports and large uploads do to the rest of the service, on the embedded storage. Prints the
// figures of docs/performance-files.md. Needs a build (npm run build); reads the process's memory from /proc, so Linux only.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import autocannon from 'autocannon';
import sharp from 'sharp';

const IMPORTS = 20;
const SIDE = [4000, 3000];
const GIGABYTE = 1024 ** 3;
const PASSWORD = 'correct horse battery';
const READ_SECONDS = 10;
const CONNECTIONS = 4;

/** Most memory of the service seen while the large upload ran. */
let peak = 0;

const dataDir = await mkdtemp(join(tmpdir(), 'kindred-bench-files-'));
const child = spawn(process.execPath, ['dist/src/main.js'], {
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

async function measure(url) {
  const call = await login(url);
  const list = `${url}/api/v1/users?itemsPerPage=10`;
  const image = await photo();
  console.log(
    `${availableParallelism()} processors, Node.js ${process.version}; photo of ${mega(image.length)}`,
  );
  await read(list, 3); // warm up
  const alone = await read(list, READ_SECONDS);
  report('reads alone', alone);

  const ids = [];
  for (let i = 0; i < IMPORTS; i++) ids.push((await upload(call, 'photo.jpg', 'image/jpeg', [image])).id);
  const before = memory();
  let isDone = false;
  const begin = performance.now();
  const imports = Promise.all(
    ids.map((objectFileId) => call('PUT', `/users/${call.me}/import-avatar`, { objectFileId })),
  ).finally(() => (isDone = true));
  const during = await read(list, READ_SECONDS, () => isDone);
  const answers = await imports;
  report(`reads while ${IMPORTS} imports run`, during);
  const codes = [...new Set(answers.map(({ status }) => status))].join(', ');
  console.log(`imports: status ${codes}, ${((performance.now() - begin) / 1000).toFixed(1)} s in all`);
  console.log(`p99 is ${(during.p99 / alone.p99).toFixed(2)} times that of reads alone`);
  console.log(`memory of the service: ${mega(before)} before, ${mega(memory('VmHWM'))} at most`);

  const start = memory();
  const chunk = randomBytes(1024 * 1024);
  const sending = performance.now();
  const { status } = await upload(
    call,
    'large.bin.zip',
    'application/zip',
    repeat(chunk, GIGABYTE),
    GIGABYTE,
  );
  const seconds = (performance.now() - sending) / 1000;
  console.log(
    `upload of ${mega(GIGABYTE)}: status ${status}, ${(1024 / seconds).toFixed(0)} MB/s, memory ${mega(start)} before, ${mega(peak)} at most`,
  );
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
  const run = autocannon({ url, connections: CONNECTIONS, duration: until ? 600 : seconds });
  run.on('response', (_client, _status, _bytes, ms) => latencies.push(ms));
  const watch = until && setInterval(() => until() && run.stop(), 50);
  const { non2xx, errors } = await run;
  clearInterval(watch);
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} reads failed.`);
  latencies.sort((a, b) => a - b);
  const at = (q) => latencies[Math.floor(q * (latencies.length - 1))];
  return { count: latencies.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

function report(what, { count, p50, p99, max }) {
  console.log(
    `${what}: ${count} reads, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(0)} ms`,
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

async function login(url) {
  let cookie = '';
  const call = async (method, path, body) => {
    const headers = { ...(body && { 'content-type': 'application/json' }), ...(cookie && { cookie }) };
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers,
      body: body && JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  const { body } = await call('POST', '/sessions', { login: 'admin', password: PASSWORD });
  cookie = `appSessionId=${body.props.id}`;
  call.me = (await call('GET', '/users/whoami')).body.props.id;
  return call;
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
