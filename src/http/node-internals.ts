import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

// Internals of Node.js that its documentation does not promise. test/foreign-internals.spec.ts checks every version.

interface Parser {
  /** Called when the headers of a request were read. The result says how to continue. */
  onIncoming?: (request: IncomingMessage, keepAlive: boolean) => number;
}

/** Tells the parser to skip the rest of the packet, as after a protocol upgrade. */
const STOP = 2;

/**
 * Lets Node's parser stop within a packet. A packet can contain thousands of requests, and Node would create objects for
 * each of them.
 * @param isOver called after each request
 * @returns false if there is no such parser; then everything is parsed
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
 * Response bytes that the operating system has not accepted yet: those in Node's buffer and those of the current write.
 * Without Node's handle, all bytes of that write count.
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

/** Replaces the way in which Node closes a connection after its last response. */
export function closeWith(socket: Socket, close: () => void): void {
  socket.destroySoon = close;
}
