import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

// What Node.js itself uses and does not promise. test/foreign-internals.spec.ts holds every version to it.

interface Parser {
  /** Told of a request whose headers are read; what it returns says how to go on. */
  onIncoming?: (request: IncomingMessage, keepAlive: boolean) => number;
}

/** The parser leaves the rest of the packet alone, as it does behind a request that changes the protocol. */
const STOP = 2;

/**
 * Lets Node's parser of a connection stop within a packet: it has room for thousands of requests, and Node would make
 * objects of each.
 * @param isOver asked after each request
 * @returns whether there is such a parser; if not, the rest is read
 */
export function stopParsing(socket: Socket, isOver: () => boolean): boolean {
  const { parser } = socket as Socket & { parser?: Parser | null };
  const tell = parser?.onIncoming;
  if (!parser || typeof tell !== 'function') return false;
  parser.onIncoming = (request, keepAlive) => {
    const result = tell(request, keepAlive);
    return isOver() ? STOP : result;
  };
  return true;
}

/**
 * Bytes of answers that the system has not taken: those in Node's buffer, and those of the write that is under way. Without
 * Node's handle all of that write count.
 */
export function unreadOf(socket: Socket): number {
  if (socket.writableLength === 0) return 0;
  const { _handle: handle } = socket as Socket & {
    _handle?: { readonly writeQueueSize?: number; readonly bytesWritten?: number } | null;
  };
  if (typeof handle?.bytesWritten !== 'number' || typeof handle.writeQueueSize !== 'number')
    return socket.writableLength;
  return socket.bytesWritten - handle.bytesWritten + handle.writeQueueSize;
}

/** Has `close` called instead of Node's own way to close a connection after the last answer on it. */
export function closeWith(socket: Socket, close: () => void): void {
  socket.destroySoon = close;
}
