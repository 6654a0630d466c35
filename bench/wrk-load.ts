import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type LoadJob, type LoadResult, READS_PREPARED } from './load-tool.js';
import type { BenchRequest } from './operations.js';

/** More writes than a server can do in a second, each made beforehand. */
const WRITES_A_SECOND = 16_000;
/** wrk leaves while writes are under way, which must not fall into what comes next. */
const SETTLE_MS = 500;
/** Longest that an answer may take. */
const PATIENCE = '60s';

/**
 * wrk's script: sends the prepared requests one after the other and tells what it saw as one line of JSON. An answer
 * after the end of the time is not waited for.
 */
const SCRIPT = `
local requests, at = {}, 0
local file = io.open(os.getenv("WRK_REQUESTS"), "rb")
while true do
  local length = file:read("*n")
  if not length then break end
  file:read(1)
  requests[#requests + 1] = file:read(length)
end
file:close()
function request()
  at = at + 1
  if at > #requests then at = 1 end
  return requests[at]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\\nresult {"requests":%d,"micros":%d,"failed":%d,"p50":%f,"p99":%f}\\n',
    summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`;

/** Load by wrk, one thread. */
export async function wrkLoad(job: LoadJob): Promise<LoadResult> {
  const { url, connections, seconds, next, writes } = job;
  const count = writes ? WRITES_A_SECOND * seconds : READS_PREPARED * connections;
  const { host } = new URL(url);
  const folder = await mkdtemp(join(tmpdir(), 'kindred-wrk-'));
  try {
    const requests = join(folder, 'requests');
    const script = join(folder, 'script.lua');
    await writeFile(requests, Array.from({ length: count }, () => framed(next(), host)).join(''));
    await writeFile(script, SCRIPT);
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, `--timeout=${PATIENCE}`, `-s${script}`, url];
    const env = { ...process.env, WRK_REQUESTS: requests };
    const { stdout } = await promisify(execFile)('wrk', args, { env });
    if (writes) await sleep(SETTLE_MS);
    const result = JSON.parse(/^result (.*)$/m.exec(stdout)?.[1] ?? '{}') as Record<string, number>;
    const { requests: sent = NaN, micros = NaN, failed = NaN, p50 = NaN, p99 = NaN } = result;
    if (failed !== 0) throw new Error(`${failed} requests failed.`);
    if (writes && sent > count)
      throw new Error(`More than ${WRITES_A_SECOND} writes a second: prepare more.`);
    return { requests: sent, requestsPerSecond: (sent / micros) * 1e6, p50, p99 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A request as it goes over the wire, after its length in bytes. */
function framed({ method, path, headers = {}, body = '' }: BenchRequest, host: string): string {
  const lines = Object.entries({
    host,
    ...headers,
    ...(body && { 'content-length': String(Buffer.byteLength(body)) }),
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const text = `${method} ${path} HTTP/1.1\r\n${head}\r\n${body}`;
  return `${Buffer.byteLength(text)}\n${text}`;
}
