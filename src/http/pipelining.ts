import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpLimits } from './limits.js';
import { stopParsing } from './node-internals.js';

/**
 * A request that may wait behind others of its connection. When a connection ends, Node destroys all requests read from it,
 * each with an error and a stack trace. For hundreds of waiting requests that would delay others.
 */
export class QueuedRequest extends IncomingMessage {
  hasBegun = false;

  override destroy(error?: Error): this {
    return this.hasBegun ? super.destroy(error) : this;
  }
}

type Exchange = [request: IncomingMessage, response: ServerResponse];

/** The requests of one connection. */
interface Line {
  /** Not a Set, for the reason given in postgres/point-read-pool.ts. */
  readonly underWay: Exchange[];
  readonly waiting: Exchange[];
  /** Whether no further requests are accepted: the connection closes after the waiting ones. */
  isOver: boolean;
  /** Called then. */
  end: (() => void) | null;
}

/**
 * Limits the active requests of each connection (RFC 9112 §9.3.2, pipelining). Further requests wait, and meanwhile nothing
 * is read from the connection. Node by itself would start all requests of a packet, possibly thousands. If too many wait,
 * the last one gets a response with `Connection: close`, and the rest is dropped unread. Requests that still wait when the
 * connection ends are never started.
 */
export class Pipelining {
  private readonly lines = new WeakMap<Socket, Line>();

  private handle: RequestListener = () => undefined;

  constructor(private readonly limits: Pick<HttpLimits, 'requestsAtOnce' | 'requestsWaiting'>) {}

  /** Installs itself in front of the server's request listeners. */
  install(server: Server): void {
    const [handle] = server.listeners('request') as RequestListener[];
    if (!handle) throw new Error('Nobody listens for requests.');
    this.handle = handle;
    server.off('request', handle).on('request', (request, response) => this.add(request, response));
    server.on('connection', (socket) => stopParsing(socket, () => this.lines.get(socket)?.isOver === true));
  }

  /**
   * Ends a connection that sent something other than a request: once, and after the responses to earlier requests.
   * @param end writes the error and closes
   */
  endWith(socket: Socket, end: () => void): void {
    const line = this.lineOf(socket);
    if (line.end) return;
    line.isOver = true;
    line.end = end;
    // An incomplete or invalid body is an error of its own request.
    if (line.waiting.at(-1)?.[0].complete === false) line.waiting.pop();
    const isBroken = line.underWay.some(([{ complete }]) => !complete);
    if (isBroken || (!line.underWay.length && !line.waiting.length)) end();
  }

  /** Whether a response on this connection has begun. A second one would be read as part of it. */
  isResponding(socket: Socket): boolean {
    // Answers leave in the order of their requests.
    return this.lines.get(socket)?.underWay[0]?.[1].headersSent === true;
  }

  private add(request: IncomingMessage, response: ServerResponse): void {
    const { requestsAtOnce, requestsWaiting } = this.limits;
    const { socket } = request;
    const line = this.lineOf(socket);
    if (line.isOver) return;
    if (line.underWay.length < requestsAtOnce && !line.waiting.length)
      return this.begin(line, [request, response]);
    socket.pause();
    const last = line.waiting.at(-1);
    if (last && line.waiting.length >= requestsWaiting) {
      line.isOver = true;
      last[1].setHeader('connection', 'close');
      return;
    }
    line.waiting.push([request, response]);
  }

  private begin(line: Line, exchange: Exchange): void {
    const [request, response] = exchange;
    line.underWay.push(exchange);
    if (request instanceof QueuedRequest) request.hasBegun = true;
    response.once('close', () => {
      line.underWay.splice(line.underWay.indexOf(exchange), 1);
      this.next(line, request.socket);
    });
    this.handle(request, response);
  }

  private next(line: Line, socket: Socket): void {
    if (socket.destroyed) line.waiting.length = 0;
    while (line.underWay.length < this.limits.requestsAtOnce) {
      const exchange = line.waiting.shift();
      if (!exchange) {
        if (!line.underWay.length && !socket.destroyed) line.end?.();
        return;
      }
      if (!line.waiting.length && !line.isOver) socket.resume();
      this.begin(line, exchange);
    }
  }

  private lineOf(socket: Socket): Line {
    let line = this.lines.get(socket);
    if (!line) {
      line = { underWay: [], waiting: [], isOver: false, end: null };
      this.lines.set(socket, line);
    }
    return line;
  }
}
