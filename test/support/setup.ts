import type { Actors } from './actors.js';
import { makeActors } from './actors.js';
import { FIRST_VERSION } from '../../src/common/api-path.js';
import type { LinkedKind } from '../../src/record/schema/kind-graph.js';
import { registeredVersions } from '../../src/record/schema/kind.js';
import { startTestService, type TestService, type TestServiceOptions } from './service.js';
import { Seeder } from './seeder.js';

/** A service with its seeder and its actors. */
export interface Setup {
  /** Of the API: the one that its seeder knows and its actors call. */
  readonly version: string;
  readonly service: TestService;
  readonly seeder: Seeder;
  readonly actors: Actors;
}

/**
 * Starts a service for a whole test file, so that its kinds are known while the tests are being declared; when `prepare`
 * fails it is stopped again, or Jest would wait for it for ever.
 */
export async function startSetup<T>(
  options: TestServiceOptions & { version?: string },
  prepare: (setup: Setup) => Promise<T>,
): Promise<Setup & { prepared: T }> {
  const { version = FIRST_VERSION } = options;
  const service = await startTestService(options);
  try {
    const [seeder, actors] = [await Seeder.of(service, version), await makeActors(service, version)];
    const setup = { version, service, seeder, actors };
    return { ...setup, prepared: await prepare(setup) };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** {@link startSetup} for each version of the API that the project has, each with a service of its own. */
export async function startSetups<T>(
  options: TestServiceOptions,
  prepare: (setup: Setup) => Promise<T>,
): Promise<[Setup & { prepared: T }, ...(Setup & { prepared: T })[]]> {
  const first = await startSetup(options, prepare);
  const setups: [typeof first, ...(typeof first)[]] = [first];
  for (const version of registeredVersions().slice(1)) {
    setups.push(await startSetup({ ...options, version }, prepare));
  }
  return setups;
}

/** What a kind is called in the names of tests. */
export const titleOf = ({ kind, version }: LinkedKind): string =>
  version === FIRST_VERSION ? kind : `${kind} in ${version}`;
