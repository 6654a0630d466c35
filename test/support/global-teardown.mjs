import { rm } from 'node:fs/promises';

export default async function globalTeardown() {
  const { postgres, dataDir } = globalThis.kindredTest;
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
