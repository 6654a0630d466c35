import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

/** Held while migrating, so that instances that start together do it one after the other. */
const MIGRATION_LOCK = 7_203_000;
const TRY_MS = 500;
/** How often a message about a wait is repeated. */
const REMIND_MS = 15_000;
/** The name of migration connections in `pg_stat_activity`. */
export const MIGRATION_NAME = 'kindred-migration';

type Say = (line: string) => void;

/** Waits until nobody else migrates this database, and reports that. The lock ends with the connection. */
export async function takeMigrationLock(client: Client, say: Say): Promise<void> {
  for (let said = -Infinity; ; await sleep(TRY_MS)) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.taken) return;
    if (Date.now() - said < REMIND_MS) continue;
    said = Date.now();
    say(`Waiting for another instance to migrate the database${await holderOf(client)} …`);
  }
}

async function holderOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; address: string | null }>(
    `SELECT l.pid, host(a.client_addr) AS address FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND l.objid = $1 AND l.classid = 0
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [MIGRATION_LOCK],
  );
  const [holder] = rows;
  if (!holder) return '';
  return ` (process ${holder.pid} of the server${holder.address ? `, from ${holder.address}` : ''})`;
}

/**
 * Ends server processes of an instance that was killed during a migration. They would continue their statement, and hold
 * their locks, until they try to respond. Call it with the migration lock, so that no other migration is running.
 */
export async function endLeftMigrations(client: Client, say: Say): Promise<void> {
  const text =
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1';
  // Those of another role are not ours to end; they are waited for, and named, like everybody else's.
  const { rowCount } = await client.query(text, [MIGRATION_NAME]).catch(() => ({ rowCount: 0 }));
  if (rowCount) say('Ending a migration that was interrupted: it is rolled back, and run again.');
}

/** A lock that a migration waits for, with its holders. */
interface Wait {
  readonly relation: string | null;
  readonly pid: number;
  readonly name: string;
  readonly state: string | null;
  readonly seconds: number;
}

const WAITS = `SELECT l.relation::regclass::text AS relation, b.pid, b.application_name AS name, b.state,
    coalesce(extract(epoch FROM clock_timestamp() - b.xact_start), 0)::int AS seconds
  FROM pg_stat_activity a CROSS JOIN LATERAL unnest(pg_blocking_pids(a.pid)) AS blocking(pid)
  JOIN pg_stat_activity b ON b.pid = blocking.pid
  LEFT JOIN pg_locks l ON l.pid = a.pid AND NOT l.granted
  WHERE a.datname = current_database() AND a.application_name = $1`;

/** Watches what the migrations of a database wait for. */
export class LockWatch {
  private latest: Wait[] = [];
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> = Promise.resolve();
  private said = Date.now();

  /** @param client a connection for this alone */
  constructor(
    private readonly client: Client,
    private readonly say: Say,
    private readonly lookMs = 200,
  ) {}

  start(): void {
    this.latest = [];
    this.said = Date.now();
    this.timer = setInterval(() => {
      this.looking = this.looking.then(() => this.look()).catch(() => undefined);
    }, this.lookMs);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.looking;
  }

  /** The last observed wait, with the holders of the lock. */
  describe(): string {
    const [first] = this.latest;
    if (!first) return 'a lock that somebody else holds';
    const what = first.relation === null ? 'the end of other transactions' : `a lock on ${first.relation}`;
    const holders = [...new Map(this.latest.map((wait) => [wait.pid, wait])).values()];
    return `${what} (held up by ${holders.map(holderText).join('; ')})`;
  }

  private async look(): Promise<void> {
    const { rows } = await this.client.query<Wait>(WAITS, [MIGRATION_NAME]);
    if (!this.timer || !rows.length) return;
    this.latest = rows;
    if (Date.now() - this.said < REMIND_MS) return;
    this.said = Date.now();
    this.say(`The migration waits for ${this.describe()} …`);
  }
}

function holderText({ pid, name, state, seconds }: Wait): string {
  return `process ${pid}${name ? ` of ${name}` : ''}, ${state ?? 'at work'}, its transaction ${seconds} s old`;
}
