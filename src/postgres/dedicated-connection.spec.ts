import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql, urlOf } from '../../test/support/database.js';
import { DedicatedConnection } from './dedicated-connection.js';

let connection: DedicatedConnection;
beforeEach(() => {
  connection = new DedicatedConnection(urlOf('postgres'), 2000, 'kindred-spec');
});
afterEach(() => connection.close());

const pid = async () =>
  (await connection.query({ text: 'SELECT pg_backend_pid() AS pid', values: [] }))[0]?.pid;
const end = (backend: unknown) =>
  sql(urlOf('postgres'), `SELECT pg_terminate_backend(${String(backend)}, 5000)`);

describe('a dedicated connection', () => {
  it('does one thing at a time, in order, and goes on after a failure', async () => {
    const heard: string[] = [];
    const all = await Promise.allSettled([
      connection.transaction(async (query) => {
        await query({ text: 'SELECT pg_sleep(0.05)', values: [] });
        heard.push('transaction');
      }),
      connection.query({ text: 'SELECT nothing', values: [] }),
      connection.query({ text: 'SELECT 1', values: [] }).then(() => heard.push('query')),
    ]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(heard).toEqual(['transaction', 'query']);
  });

  it('is made anew after a break; a transaction that broke does not go on outside of itself', async () => {
    const first = await pid();
    await end(first);
    // The break is heard of by now, or by the next statement.
    const second = await pid().catch(pid);
    expect(second).not.toBe(first);
    const after: string[] = [];
    const broken = connection.transaction(async (query) => {
      await end((await query({ text: 'SELECT pg_backend_pid() AS pid', values: [] }))[0]?.pid);
      after.push('asked');
      await query({ text: 'SELECT 1', values: [] });
      after.push('went on');
    });
    await expect(broken).rejects.toThrow();
    expect(after).toEqual(['asked']);
    expect(await pid()).toBeDefined();
  });

  it('is made anew for the next statement, however soon it comes', async () => {
    const text = 'SELECT pg_terminate_backend(pg_backend_pid())';
    await expect(connection.query({ text, values: [] })).rejects.toMatchObject({ code: '57P01' });
    expect(await pid()).toBeDefined();
  });

  it('refuses with 503 what comes after its end, and leaves no session', async () => {
    const session = await pid();
    await connection.close();
    await expect(pid()).rejects.toMatchObject({ code: 503 });
    const left = await sql(
      urlOf('postgres'),
      `SELECT 1 FROM pg_stat_activity WHERE pid = ${String(session)}`,
    );
    expect(left).toEqual([]);
  });
});
