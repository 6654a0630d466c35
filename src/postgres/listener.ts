import { Client } from 'pg';
import { CONNECT_TIMEOUT_MS } from './session-settings.js';

const PAUSES_MS = [100, 250, 500, 1000];
/** How often the connection is probed, to notice one that died silently. */
const PROBE_MS = 5000;
const PROBE_TIMEOUT_MS = 3000;

/** A subscription to a channel. */
export interface Subscription {
  readonly channel: string;
  /** Called for each notification, in order. */
  readonly message: (payload: string) => void;
  /** Called whenever listening begins, also after a break. Earlier notifications may have been missed. */
  readonly connected: () => void;
}

/** LISTEN on a connection of its own, which reconnects whenever it breaks. */
export class Listener {
  private client: Client | null = null;
  private timer: NodeJS.Timeout | null = null;
  private tries = 0;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly subscription: Subscription,
  ) {}

  start(): void {
    void this.connect();
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = new Client({
      connectionString: this.url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: PROBE_TIMEOUT_MS,
      application_name: 'kindred-listener',
      keepAlive: true,
    });
    this.client = client;
    client.on('notification', ({ payload }) => this.subscription.message(payload ?? ''));
    client.on('error', () => this.lost(client));
    client.on('end', () => this.lost(client));
    try {
      await client.connect();
      await client.query(`LISTEN ${client.escapeIdentifier(this.subscription.channel)}`);
      if (this.client !== client || this.closed) return;
      this.tries = 0;
      this.probeLater(client);
      this.subscription.connected();
    } catch {
      this.lost(client);
    }
  }

  private probeLater(client: Client): void {
    this.timer = setTimeout(() => {
      client.query('SELECT 1').then(
        () => this.client === client && !this.closed && this.probeLater(client),
        () => this.lost(client),
      );
    }, PROBE_MS);
  }

  private lost(client: Client): void {
    if (this.client !== client || this.closed) return;
    this.client = null;
    if (this.timer) clearTimeout(this.timer);
    client.end().catch(() => undefined);
    const pause = PAUSES_MS[Math.min(this.tries++, PAUSES_MS.length - 1)];
    this.timer = setTimeout(() => void this.connect(), pause);
  }
}

/** Creates listeners for the service's database. */
export class Listeners {
  constructor(private readonly url: string) {}

  make(subscription: Subscription): Listener {
    return new Listener(this.url, subscription);
  }
}
