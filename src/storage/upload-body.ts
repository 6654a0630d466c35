import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ApiError, malformed, storageUnavailable } from '../common/errors.js';
import type { HttpLimits } from '../http/limits.js';
import { withOwnLimit } from '../http/request-time.js';
import { diskFault } from './embedded-storage.js';

/** How many bytes of a body are received between two checks of the free space. Other uploads run at the same time. */
const ROOM_STEP = 16 * 1024 * 1024;

/** The time limits of an upload: it must make progress, and end by a certain time. */
export type Pace = Pick<HttpLimits, 'uploadWindow' | 'uploadBytes'> & {
  /** Milliseconds since 1970. */
  readonly endsAt: number;
};

/**
 * Streams the body of a request into a new file, with back pressure. Cuts off a client that is too slow or too late.
 * @param checkRoom throws when the disk has no room for more
 * @throws ApiError 400 for a body of another length than announced, 503 or 507 for disk errors; the connection stays open,
 *   so that the client gets the response
 */
export async function receiveBody(
  request: IncomingMessage,
  file: string,
  size: number,
  pace: Pace,
  checkRoom: () => Promise<void>,
): Promise<void> {
  let received = 0;
  let looked = 0;
  const counted = async function* () {
    // Destroying the rest of the body would also close the connection.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received - looked >= ROOM_STEP) {
        looked = received;
        await checkRoom();
      }
      yield chunk;
    }
  };
  const watch = watched(request, () => received, pace);
  try {
    await withOwnLimit(request.socket, () =>
      pipeline(counted, createWriteStream(file, { flags: 'wx', mode: 0o600 })),
    );
  } catch (error) {
    if (request.errored) throw malformed('The body ended early.');
    const fault = diskFault(error);
    throw fault instanceof ApiError ? fault : storageUnavailable(error);
  } finally {
    clearInterval(watch);
  }
  if (received !== size) throw malformed('The body is not as long as Content-Length says.');
}

/** Cuts the connection when the body arrives too slowly. */
function watched(request: IncomingMessage, received: () => number, pace: Pace): NodeJS.Timeout {
  let before = 0;
  return setInterval(() => {
    const now = received();
    if (now - before < pace.uploadBytes || Date.now() > pace.endsAt) request.socket.destroy();
    before = now;
  }, pace.uploadWindow);
}
