import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../app.module.js';
import { StartupError } from '../config/startup-error.js';
import { connect } from './connect.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { pendingSchema, type SchemaChange } from './pending-schema.js';

/*
 * `npm run migration:generate -- <name>`: writes the migration from what the committed ones make to what the kinds
 * declare. It compares in a database of its own, so it needs and touches no other.
 */

const FOLDER = join('src', 'database', 'migrations');
const STATEMENT_TIMEOUT_MS = 60_000;

async function difference(): Promise<SchemaChange> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kindred-migration-'));
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
  try {
    const progress = (line: string) => process.stderr.write(`${line}\n`);
    const dataSource = await connect({
      url: postgres.url,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      progress,
    });
    try {
      return await pendingSchema(dataSource);
    } finally {
      await dataSource.destroy();
    }
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function source(className: string, change: SchemaChange): string {
  const statements = (queries: readonly string[]) =>
    queries.map((query) => `    await runner.query(\`${query.replace(/[\\`$]/g, '\\$&')}\`);`).join('\n');
  return `import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ${className} implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
${statements(change.up)}
  }

  async down(runner: QueryRunner): Promise<void> {
${statements(change.down)}
  }
}
`;
}

async function main(name: string | undefined): Promise<void> {
  if (!name || !/^[a-z][a-z0-9-]{0,60}$/.test(name)) {
    throw new StartupError('Say what the migration does: npm run migration:generate -- add-articles');
  }
  const change = await difference();
  if (!change.up.length)
    throw new StartupError('Nothing to do: the migrations already make what the kinds declare.');
  const time = Date.now();
  const className =
    name.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) + String(time);
  const file = join(FOLDER, `${time}-${name}.ts`);
  await writeFile(file, source(className, change), { flag: 'wx' });
  process.stderr.write(`Wrote ${file}. Read it before you commit it: a dropped column is gone.\n`);
}

try {
  await main(process.argv[2]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
