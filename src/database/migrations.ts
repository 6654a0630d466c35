import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { MigrationInterface } from 'typeorm';

type MigrationClass = new () => MigrationInterface;

const FOLDER = join(import.meta.dirname, 'migrations');
const FILE = /^\d{13}-[a-z0-9-]+\.(js|ts)$/;

/** The migrations beside this file, in order of their timestamps. Each file exports one class. */
export async function loadMigrations(): Promise<MigrationClass[]> {
  const files = readdirSync(FOLDER)
    .filter((file) => FILE.test(file))
    .sort();
  const modules = await Promise.all(
    files.map(
      (file) => import(pathToFileURL(join(FOLDER, file)).href) as Promise<Record<string, MigrationClass>>,
    ),
  );
  return modules.flatMap((module) => Object.values(module));
}
