import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two looks for connections that have nothing left to answer. */
const LOOK_MS = 50;

/**
 * How an HTTP server stops. From `begin` on every answer says `Connection: close`, also to a request that was under way, and
 * its connection is closed (RFC 9112 §9.6); new connections are still taken, so that a balancer has the time to look
 * elsewhere. `end` gives what is under way its grace, and then closes whatever is left: half a header, half a body, an
 * answer that nobody reads.
 */
export class Drain {
  private readonly connections = new Set<Socket>();
  /** The answer to the last request that has come in on a connection. */
  private readonly newest = new WeakMap<Socket, ServerResponse>();
  private begun = false;

  /** @param graceMs milliseconds that requests under way are given */
  constructor(private readonly graceMs: number) {}

  /** Whether the service is about to stop: then it is not ready any more. */
  get isDraining(): boolean {
    return this.begun;
  }

  begin(): void {
    this.begun = true;
  }

  /** The class of the server's answers. Of several on a connection the last one closes it: those after it would be lost. */
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

  /** Hears of the server's connections. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    });
  }

  /** Takes no connections any more, and resolves when the last one is closed, at the latest after the grace. */
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
