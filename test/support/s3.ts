import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { installed } from './installed.js';

const run = promisify(execFile);

/** Whether this machine has an S3-compatible server to test against. */
export const HAS_S3 = ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph'].every((tool) => installed(tool) !== null);

/** The address of the run's one S3-compatible server, which the first test file that asks starts. */
export async function s3Endpoint(): Promise<string> {
  const folder = process.env.TEST_S3_FOLDER;
  if (!folder) throw new Error('Run the tests with npm test.');
  const address = `${folder}.address`;
  const isFirst = await mkdir(`${folder}.lock`).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    const args = ['start', folder, process.env.TEST_RUN_PID ?? ''];
    const stdout = await run('scripts/radosgw.sh', args, { timeout: 120_000 }).then(
      (result) => result.stdout,
      () => '', // told to all who wait
    );
    const port = /ready (\d+)/.exec(stdout)?.[1];
    await writeFile(address, port ? `http://127.0.0.1:${port}` : '');
  }
  for (let tries = 0; !existsSync(address) && tries < 1200; tries++) await sleep(100);
  const found = await readFile(address, 'utf8');
  if (!found) throw new Error('radosgw did not start: see scripts/radosgw.sh.');
  return found;
}

/** Settings of a service that keeps its files there, in a bucket of its own. */
export async function s3Settings(endpoint?: string): Promise<Record<string, string>> {
  const server = await s3Endpoint();
  return {
    S3_ENDPOINT: endpoint ?? server,
    S3_PUBLIC_ENDPOINT: server,
    S3_BUCKET: `test-${randomBytes(6).toString('hex')}`,
    S3_ACCESS_KEY: 'testkey',
    S3_SECRET_KEY: 'testsecret',
  };
}
