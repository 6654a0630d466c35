import type { MigrationPlan } from './plan-migration.js';

/** The source of a migration, as it is committed: a file of src/database/migrations. */
export function migrationSource(className: string, plan: MigrationPlan): string {
  const call = (query: string) => `await runner.query(\`${query.replace(/[\\`$]/g, '\\$&')}\`);`;
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
