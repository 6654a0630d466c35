import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ApiError, malformed, storageUnavailable } from '../common/errors.js';
import type { HttpLimits } from '../http/limits.js';
import { withOwnLimit } from '../http/request-time.js';
import { diskFault } from './embedded-storage.js';

/** Bytes of a body between two looks at the room that is left: other bodies come in at the same time. */
const ROOM_STEP = 16 * 1024 * 1024;

/** How long an upload may take: as long as it goes on, and until its end. */
export type Pace = Pick<HttpLimits, 'uploadWindow' | 'uploadBytes'> & {
  /** Milliseconds since 1970. */
  readonly endsAt: number;
};

/**
 * Streams the body of a request into a new file, with what the network and the disk are fast enough for and never more
 * in memory. A client that is too slow, or too late, is cut off.
 * @param checkRoom throws when the disk has no room for more
 * @throws ApiError 400 for a body that is not as long as announced, 503 or 507 for a disk that can't take it; the
 *   connection stays, so that the client hears it
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
    // A body that is left is not destroyed, as that would take the connection along.
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

/** Cuts the connection once the body no longer comes as fast as it must. */
function watched(request: IncomingMessage, received: () => number, pace: Pace): NodeJS.Timeout {
  let before = 0;
  return setInterval(() => {
    const now = received();
    if (now - before < pace.uploadBytes || Date.now() > pace.endsAt) request.socket.destroy();
    before = now;
  }, pace.uploadWindow);
}
