import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { within } from '../common/within.js';
import { type ApiError, forbidden } from '../common/errors.js';
import { HTTP_LIMITS, type HttpLimits } from '../http/limits.js';
import type { QueryParams } from '../http/query.js';
import type { Operation } from '../openapi-model/operation.decorator.js';
import type { Route } from '../openapi-model/routes.js';
import { type EmbeddedStorage, UPLOAD_PATH } from './embedded-storage.js';
import { isKey, UPLOAD_TAIL_MS } from './file-storage.js';
import { essenceOf } from './media-type.js';
import type { PathSigner, SignedTerms } from './signed-path.js';
import { receiveBody } from './upload-body.js';

/** Milliseconds that a stop waits for a disk at most. */
const END_MS = 1000;

/** The route as the API's description has it. */
export const UPLOAD: { route: Pick<Route, 'method' | 'path' | 'status'>; operation: Operation } = {
  route: { method: 'PUT', path: `${UPLOAD_PATH}staging/:key`, status: 200 },
  operation: {
    id: 'upload',
    tag: 'ObjectFile',
    summary: 'Send the bytes of a file',
    description:
      'The second step of an upload, at the `meta.presignedUrl` of the first, with exactly its `meta.uploadHeaders`. With ' +
      'S3-compatible storage that URL leads there instead.',
    path: { key: { type: 'string', description: 'Part of the URL.' } },
    query: ['type', 'size', 'expires', 'signature'].map((name) => ({
      name,
      description: 'Part of the URL.',
      schema: { type: 'string' },
      required: true,
    })),
    body: { bytes: true },
    answer: { nothing: 'The bytes are there.' },
    errors: ['forbidden', 'storageFull'],
  },
};

interface UploadRequest {
  Params: { '*': string };
  Body: Readable | undefined;
}

/** What the route works with. */
export interface UploadRouteOptions {
  readonly storage: EmbeddedStorage;
  readonly signer: PathSigner;
  /** Whether a file record still waits for the bytes of this key. */
  readonly isAwaited: (key: string) => Promise<boolean>;
  /** Other limits, for tests. */
  readonly limits?: Partial<HttpLimits>;
}

/**
 * `PUT /files/upload/<key>`: takes the bytes of an upload into the embedded storage, as S3 would. The signature is all
 * the right that it needs. Must be installed before the application's own routes.
 */
export function installUploadRoute(instance: FastifyInstance, options: UploadRouteOptions): void {
  const route = new UploadRoute(options);
  void instance.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    scope.put<UploadRequest>(
      `${UPLOAD_PATH}*`,
      {
        config: { rawBody: true, isSigned: true },
        // Before the body is looked at.
        onRequest: (request) => route.check(request),
      },
      (request, reply) => route.receive(request, reply),
    );
    scope.addHook('onClose', () => route.end());
    done();
  });
}

class UploadRoute {
  /** The connection that each key's upload comes in on. */
  private readonly underWay = new Map<string, Socket>();
  private readonly limits: HttpLimits;
  /** What is being written; each ends soon after its connection. */
  private readonly writes = new Set<Promise<void>>();

  constructor(private readonly options: UploadRouteOptions) {
    this.limits = { ...HTTP_LIMITS, ...options.limits };
  }

  /** @throws ApiError 403 when these bytes must not come in, 503, 507 */
  async check(request: FastifyRequest<UploadRequest>): Promise<void> {
    const refused = refusal(request, this.termsOf(request));
    if (refused) throw refused;
    await this.checkAwaited(request.params['*']);
    await this.options.storage.checkRoom(Number(request.headers['content-length']));
  }

  /** Of two uploads to one key the later one counts: the first is most likely a line that broke. */
  async receive(request: FastifyRequest<UploadRequest>, reply: FastifyReply): Promise<void> {
    const key = request.params['*'];
    const { socket } = request.raw;
    const endsAt = Number((request.query as QueryParams).get('expires')?.[0]) * 1000 + UPLOAD_TAIL_MS;
    const size = Number(request.headers['content-length']);
    const earlier = this.underWay.get(key);
    if (earlier !== socket) earlier?.destroy();
    this.underWay.set(key, socket);
    try {
      const write = this.options.storage.write(key, async (fragment) => {
        const checkRoom = () => this.options.storage.checkRoom(0);
        await receiveBody(request.raw, fragment, size, { ...this.limits, endsAt }, checkRoom);
        await this.checkAwaited(key);
      });
      this.writes.add(write);
      await write.finally(() => this.writes.delete(write));
    } finally {
      if (this.underWay.get(key) === socket) this.underWay.delete(key);
    }
    await reply.code(200).header('content-length', '0').removeHeader('content-type').send();
  }

  /** When the connections are closed: uploads that were cut still take away what they have written. */
  async end(): Promise<void> {
    await within(END_MS, Promise.allSettled(this.writes), []);
  }

  /** What is put where nobody waits for it would lie there, beside every limit, until the upload's time is over. */
  private async checkAwaited(key: string): Promise<void> {
    if (await this.options.isAwaited(key)) return;
    throw forbidden('This upload URL is over: its file is imported or deleted. Create a new file record.');
  }

  private termsOf(request: FastifyRequest<UploadRequest>): SignedTerms | null {
    if (!isKey(request.params['*'])) return null;
    const [path = ''] = (request.raw.url ?? '').split('?');
    return this.options.signer.verify('PUT', path, request.query as QueryParams);
  }
}

/** What stands against a request; null when nothing does. */
function refusal({ headers }: FastifyRequest, terms: SignedTerms | null): ApiError | null {
  if (!terms) return forbidden('This upload URL is not valid, or is over. Create a new file record.');
  if (essenceOf(headers['content-type'] ?? '') !== essenceOf(terms.type ?? '')) {
    return forbidden(`This upload URL takes the content type ${terms.type ?? ''} alone.`);
  }
  if (headers['content-length'] !== terms.size) {
    return forbidden(`This upload URL takes exactly ${terms.size ?? ''} bytes, with a Content-Length.`);
  }
  return null;
}
