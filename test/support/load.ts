import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** What came back for one request. */
export interface Outcome {
  /** Null where nothing came back. */
  readonly status: number | null;
  readonly headers: IncomingMessage['headers'];
  /** The body, or why there is none. */
  readonly text: string;
}

/** A client of one or more connections, which tells of failures instead of throwing. */
export class Connection {
  private readonly agent: Agent;

  /** @param keepAlive whether a connection serves the next request too */
  constructor(
    private readonly url: string,
    keepAlive: boolean,
    private readonly cookie = '',
  ) {
    this.agent = new Agent({ keepAlive });
  }

  async ask(method: string, path: string, body?: unknown): Promise<Outcome> {
    const bytes = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(this.cookie && { cookie: this.cookie }),
      ...(bytes !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(bytes),
      }),
    };
    try {
      const call = request(`${this.url}${path}`, { method, agent: this.agent, headers }).end(bytes);
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
    } catch (error) {
      return { status: null, headers: {}, text: String(error) };
    }
  }

  end(): void {
    this.agent.destroy();
  }
}

/** Asks again and again, on a connection that is kept or on a fresh one each time, until it is stopped. */
export class Load {
  /** What was not answered as it should have been: status and text. */
  readonly lost: string[] = [];
  answered = 0;
  private isOver = false;
  private readonly loops: Promise<void>[] = [];

  constructor(
    private readonly url: string,
    private readonly cookie: string,
  ) {}

  /**
   * @param ask makes one request and says whether its answer is as it should be
   * @param pauseMs between an answer and the next request
   */
  add(
    keepAlive: boolean,
    ask: (client: Connection) => Promise<Outcome>,
    isRight: (outcome: Outcome) => boolean = ({ status }) => status === 200,
    pauseMs = 60,
  ): void {
    const run = async () => {
      const client = new Connection(this.url, keepAlive, this.cookie);
      while (!this.isOver) {
        const outcome = await ask(client);
        if (isRight(outcome)) this.answered++;
        else this.lost.push(`${outcome.status}: ${outcome.text}`);
        await sleep(pauseMs);
      }
      client.end();
    };
    this.loops.push(run());
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.loops);
  }
}
