import type { FastifyRequest } from 'fastify';
import { malformed, tooLarge, unavailable } from '../common/errors.js';
import { type Body, parseBody } from './body-parser.js';
import { ClientGone, isGone } from './client-gone.js';
import { fairnessKeyOf } from './http-requester.js';
import type { HttpLimits } from './limits.js';
import { ParseQueue, type WaitingBody } from './parse-queue.js';
import { type UnparsedBody, UnparsedBodies } from './unparsed-bodies.js';

/** Continues the request with its body, or with an error. */
type Done = (error: Error | null, body?: Body) => void;
type Stream = Pick<FastifyRequest['raw'], 'on' | 'off'>;

const NOTHING: Buffer = Buffer.alloc(0);
/**
 * Pieces with fewer bytes than this on average are joined, once there are {@link MIN_PIECES}: an object of its own for each
 * byte would take a hundred times its size.
 */
const SMALL_PIECE = 512;
const MIN_PIECES = 64;

/** Reads JSON bodies. Those that arrive in one piece and are small, as most are, are parsed at once. */
export class BodyReader {
  readonly unparsed: UnparsedBodies;
  readonly queue = new ParseQueue();

  constructor(readonly limits: Pick<HttpLimits, 'unparsedBytes' | 'largeBodyBytes'>) {
    this.unparsed = new UnparsedBodies(limits.unparsedBytes);
  }

  /** @param stream gives the bytes of the body */
  read(request: FastifyRequest, stream: Stream, done: Done): void {
    const maxBytes = request.routeOptions.bodyLimit;
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) done(tooLarge(maxBytes));
    else new IncomingBody(this, request, stream, done);
  }
}

/** A body from its first byte until it is parsed. */
class IncomingBody implements UnparsedBody, WaitingBody {
  private pieces: Buffer[] = [];
  /** Bytes received. */
  private length = 0;
  private isOver = false;
  private key: string | undefined;

  constructor(
    private readonly reader: BodyReader,
    private readonly request: FastifyRequest,
    private readonly stream: Stream,
    private readonly done: Done,
  ) {
    stream.on('data', this.add).on('end', this.complete).on('error', this.fail);
  }

  get fairnessKey(): string {
    return (this.key ??= fairnessKeyOf(this.request));
  }

  evict(): void {
    this.reader.queue.remove(this);
    this.end(unavailable('The service is receiving too many large bodies. Try again shortly.'));
  }

  isGone(): boolean {
    return isGone(this.request);
  }

  drop(): void {
    this.end(new ClientGone());
  }

  parse(): void {
    const [first = NOTHING] = this.pieces;
    const bytes = this.pieces.length > 1 ? Buffer.concat(this.pieces, this.length) : first;
    // Many clients put the content type on a DELETE that has no body.
    if (bytes.length === 0 && this.request.method === 'DELETE') return this.end(null);
    let body: Body;
    try {
      body = parseBody(bytes);
    } catch (error) {
      return this.end(error as Error);
    }
    this.end(null, body);
  }

  private readonly add = (chunk: Buffer): void => {
    const length = this.length + chunk.length;
    const maxBytes = this.request.routeOptions.bodyLimit;
    if (length > maxBytes) return this.end(tooLarge(maxBytes));
    const declared = Number(this.request.headers['content-length'] ?? maxBytes);
    // A small body that is complete will be parsed before anything else happens.
    if (length < declared || length >= this.reader.limits.largeBodyBytes) {
      this.reader.unparsed.set(this, length);
      if (this.isOver) return;
    }
    this.length = length;
    this.pieces.push(chunk);
    if (this.pieces.length > MIN_PIECES && this.pieces.length * SMALL_PIECE > length) {
      this.pieces = [Buffer.concat(this.pieces, length)];
    }
  };

  private readonly complete = (): void => {
    this.stop();
    if (this.length < this.reader.limits.largeBodyBytes) this.parse();
    else this.reader.queue.add(this);
  };

  private readonly fail = (): void => this.end(malformed('The request can’t be read.'));

  private stop(): void {
    this.stream.off('data', this.add).off('end', this.complete).off('error', this.fail);
  }

  private end(error: Error | null, body?: Body): void {
    this.isOver = true;
    this.stop();
    if (this.key !== undefined) this.reader.unparsed.remove(this);
    this.pieces = [];
    this.done(error, body);
  }
}
