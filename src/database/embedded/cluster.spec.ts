import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';
import { ask } from './spec-support.js';

describe('the cluster', () => {
  let dataDir: string;
  let running: EmbeddedPostgres | undefined;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'kindred-cluster-'));
  });
  afterEach(async () => {
    await running?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function start(): Promise<EmbeddedPostgres> {
    return (running = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } }));
  }

  it('is made again when it was left half made', async () => {
    mkdirSync(join(dataDir, 'postgres', 'base'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres', 'postgresql.conf'), '');
    mkdirSync(join(dataDir, 'postgres.init-abc', 'cluster'), { recursive: true });
    const { url } = await start();
    expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(existsSync(join(dataDir, 'postgres.init-abc'))).toBe(false);
  });

  it('is never replaced when it is damaged', async () => {
    await (await start()).stop();
    rmSync(join(dataDir, 'postgres', 'PG_VERSION'));
    await expect(start()).rejects.toThrow(/damaged cluster/);
    expect(existsSync(join(dataDir, 'postgres', 'global', 'pg_control'))).toBe(true);
  });

  it('gets a new password when the file that keeps it is gone', async () => {
    const first = await start();
    await first.stop();
    rmSync(join(dataDir, 'postgres-password'));
    const { url } = await start();
    expect(url.split('@')[0]).not.toBe(first.url.split('@')[0]);
    expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
