import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';

export default async function globalTeardown() {
  const { postgres, dataDir } = globalThis.kindredTest;
  await postgres.stop();
  const s3 = process.env.TEST_S3_FOLDER;
  if (existsSync(s3)) execFileSync('scripts/radosgw.sh', ['stop', s3]);
  for (const left of [`${s3}.lock`, `${s3}.address`]) await rm(left, { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
}
