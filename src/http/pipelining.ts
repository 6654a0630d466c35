import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpLimits } from './limits.js';

type Exchange = [request: IncomingMessage, response: ServerResponse];

/** The requests of one connection. */
interface Line {
  underWay: number;
  readonly waiting: Exchange[];
  /** More came than may wait: the connection closes after those that do. */
  isOver: boolean;
}

/**
 * Lets a connection have a few requests under way (RFC 9112 §9.3.2, pipelining). Others of it wait, and meanwhile nothing more
 * is read from it; Node by itself would begin all that a packet holds, hundreds of them. Where more come than may wait, the
 * last of those that do is answered with `Connection: close`, and the rest is dropped. What still waits when the
 * connection ends is never begun.
 */
export function inTurn(
  handle: RequestListener,
  { requestsAtOnce, requestsWaiting }: Pick<HttpLimits, 'requestsAtOnce' | 'requestsWaiting'>,
): RequestListener {
  const lines = new WeakMap<Socket, Line>();

  const begin = (line: Line, [request, response]: Exchange): void => {
    line.underWay++;
    response.once('close', () => {
      line.underWay--;
      next(line, request.socket);
    });
    handle(request, response);
  };

  const next = (line: Line, socket: Socket): void => {
    if (socket.destroyed) line.waiting.length = 0;
    while (line.underWay < requestsAtOnce) {
      const exchange = line.waiting.shift();
      if (!exchange) return;
      if (!line.waiting.length && !line.isOver) socket.resume();
      begin(line, exchange);
    }
  };

  return (request, response) => {
    const { socket } = request;
    let line = lines.get(socket);
    if (!line) lines.set(socket, (line = { underWay: 0, waiting: [], isOver: false }));
    if (line.underWay < requestsAtOnce && !line.waiting.length) return begin(line, [request, response]);
    socket.pause();
    const last = line.waiting.at(-1);
    if (line.isOver) return;
    if (last && line.waiting.length >= requestsWaiting) {
      line.isOver = true;
      last[1].shouldKeepAlive = false;
      return;
    }
    line.waiting.push([request, response]);
  };
}
