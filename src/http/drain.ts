import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often to check for idle connections, in milliseconds. */
const LOOK_MS = 50;

/**
 * The graceful stop of an HTTP server. After `begin`, every response says `Connection: close`, and its connection is closed
 * (RFC 9112 §9.6). New connections are still accepted, so that a load balancer has time to react. `end` gives active
 * requests a grace period, and then closes whatever is left: incomplete headers and bodies, unread responses.
 */
export class Drain {
  private readonly connections = new Set<Socket>();
  /** The response to the last request of a connection. */
  private readonly newest = new WeakMap<Socket, ServerResponse>();
  private begun = false;

  /** @param graceMs how long active requests may continue, in milliseconds */
  constructor(private readonly graceMs: number) {}

  /** Whether the service is about to stop. It is not ready then. */
  get isDraining(): boolean {
    return this.begun;
  }

  begin(): void {
    this.begun = true;
  }

  /** The class of the server's responses. The last one of a connection closes it; an earlier one would lose the others. */
  readonly responseClass = ((drain: Drain) =>
    class<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
      private readonly asked: Socket;

      constructor(...[request, ...rest]: ConstructorParameters<typeof ServerResponse<Request>>) {
        super(request, ...rest);
        this.asked = request.socket;
        drain.newest.set(this.asked, this);
      }

      override writeHead(...args: unknown[]): this {
        if (drain.begun && drain.newest.get(this.asked) === this) this.setHeader('connection', 'close');
        return super.writeHead(...(args as Parameters<ServerResponse['writeHead']>));
      }
    })(this);

  /** Tracks the server's connections. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    });
  }

  /** Stops accepting connections. Resolves when the last one is closed, at the latest after the grace period. */
  async end(server: Server): Promise<void> {
    this.begin();
    if (server.listening) server.close();
    for (const socket of this.connections) if (socket.bytesRead === 0) socket.destroy();
    for (const deadline = Date.now() + this.graceMs; this.connections.size > 0; await sleep(LOOK_MS)) {
      server.closeIdleConnections();
      if (Date.now() < deadline) continue;
      for (const socket of this.connections) socket.destroy();
      return;
    }
  }
}
