import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../common/startup-error.js';
import type { MigrationPlan } from './plan-migration.js';

/**
 * Writes migrations into files of their own: all of them, or none.
 * @param sources names without an ending, and texts
 * @returns the paths of the files
 * @throws StartupError when one of them is there already
 */
export async function writeNew(
  folder: string,
  sources: readonly (readonly [name: string, text: string])[],
): Promise<string[]> {
  const files = sources.map(([name]) => join(folder, `${name}.ts`));
  const existing = files.find((file) => existsSync(file));
  if (existing !== undefined)
    throw new StartupError(`${existing} is there already, and nothing is overwritten: repeat the command.`);
  for (const [i, [, text]] of sources.entries()) await writeFile(files[i] ?? '', text, { flag: 'wx' });
  return files;
}

/** The source of a migration, as it is committed: a file of src/database/migrations. */
export function migrationSource(className: string, plan: MigrationPlan): string {
  const call = (query: string) => `await runner.query(${quoted(query)});`;
  const up = [...plan.up.flatMap((query) => [...(plan.before.get(query) ?? []), call(query)]), ...plan.atEnd];
  const down = plan.down.map(call);
  const indented = (lines: readonly string[]) => lines.map((line) => `    ${line}`).join('\n');
  const losses = plan.losses.map((loss) => `/** Loses data: it ${loss.replaceAll('*/', '')}. */\n`).join('');
  const helpers = ['foldTexts', 'refuseMisfits'].filter((name) =>
    up.some((line) => line.startsWith(`await ${name}(`)),
  );
  const imports = helpers.length ? `import { ${helpers.join(', ')} } from '../row-work.js';\n` : '';
  return `import type { MigrationInterface, QueryRunner } from 'typeorm';
${imports}
${losses}export class ${className} implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
${indented(up)}
  }

  async down(runner: QueryRunner): Promise<void> {
${indented(down)}
  }
}
`;
}

/** A plan without the indexes on tables that are in use: {@link indexSource} has them, as a migration of its own. */
export function withoutIndexes(plan: MigrationPlan): MigrationPlan {
  const drops = plan.indexes.map((statement) => `"${nameOf(statement)}"`);
  const isDrop = (statement: string) =>
    statement.startsWith('DROP INDEX ') && drops.some((name) => statement.trimEnd().endsWith(name));
  return {
    ...plan,
    up: plan.up.filter((statement) => !plan.indexes.includes(statement)),
    down: plan.down.filter((statement) => !isDrop(statement)),
    indexes: [],
  };
}

/** The source of the migration that builds a plan's indexes, to be run after the other one. */
export function indexSource(className: string, { indexes }: MigrationPlan): string {
  const up = indexes.map((statement) => `    await buildIndex(runner, ${quoted(statement.trim())});`);
  const down = indexes
    .map((statement) => `    await dropIndex(runner, ${quoted(nameOf(statement))});`)
    .reverse();
  return `import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, dropIndex } from '../build-index.js';

/** Not one transaction, so that the tables can be written while their indexes are built. */
export class ${className} implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
${up.join('\n')}
  }

  async down(runner: QueryRunner): Promise<void> {
${down.join('\n')}
  }
}
`;
}

const nameOf = (index: string): string => /INDEX "([^"]+)"/.exec(index)?.[1] ?? '';

/** A text as a template literal, in which `$` alone stands for itself: ESLint refuses escapes that do nothing. */
const quoted = (text: string): string => `\`${text.replace(/[\\`]|\$(?=\{)/g, '\\$&')}\``;
