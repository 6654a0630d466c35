import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { malformed, storageUnavailable } from '../http/errors.js';
import type { HttpLimits } from '../http/limits.js';
import { withOwnLimit } from '../http/request-time.js';

/** How long an upload may take: as long as it goes on, and until its end. */
export type Pace = Pick<HttpLimits, 'uploadWindow' | 'uploadBytes'> & {
  /** Milliseconds since 1970. */
  readonly endsAt: number;
};

/**
 * Streams the body of a request into a new file, with what the network and the disk are fast enough for and never more
 * in memory. A client that is too slow, or too late, is cut off.
 * @throws ApiError 400 for a body that is not as long as announced, 503 for a disk that can't take it; the connection
 *   stays, so that the client hears it
 */
export async function receiveBody(
  request: IncomingMessage,
  file: string,
  size: number,
  pace: Pace,
): Promise<void> {
  let received = 0;
  const counted = async function* () {
    // A body that is left is not destroyed, as that would take the connection along.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += chunk.length;
      yield chunk;
    }
  };
  const watch = watched(request, () => received, pace);
  try {
    await withOwnLimit(request.socket, () =>
      pipeline(counted, createWriteStream(file, { flags: 'wx', mode: 0o600 })),
    );
  } catch (error) {
    throw request.errored ? malformed('The body ended early.') : storageUnavailable(error);
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
