import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withTimeout } from '../common/with-timeout.js';
import { type ApiError, forbidden } from '../common/errors.js';
import type { QueryParams } from '../http/query.js';
import type { Operation } from '../openapi-model/operation.decorator.js';
import { Routes } from '../openapi-model/routes.js';
import { EmbeddedStorage, UPLOAD_PATH } from '../storage/embedded-storage.js';
import { FileStorage, isKey, UPLOAD_TAIL_MS } from '../storage/file-storage.js';
import { essenceOf } from '../storage/media-type.js';
import { PathSigner, type SignedTerms } from '../storage/signed-path.js';
import { receiveBody } from '../storage/upload-body.js';
import { ReceivedUploads } from './received-uploads.js';
import { StoredFiles } from './stored-files.js';

/** How long a stop waits for the disk, in milliseconds. */
const END_MS = 1000;

/** The route as the API's description has it. */
const ROUTE = { method: 'PUT', path: `${UPLOAD_PATH}staging/:key`, status: 200 } as const;
const OPERATION: Operation = {
  id: 'upload',
  tag: 'ObjectFile',
  summary: 'Send the bytes of a file',
  description:
    'The second step of an upload, at the `meta.presignedUrl` of the first, with exactly its `meta.uploadHeaders`. With ' +
    'S3-compatible storage that URL leads to the storage instead.',
  path: { key: { type: 'string', description: 'Part of the URL.' } },
  query: ['type', 'size', 'expires', 'signature'].map((name) => ({
    name,
    description: 'Part of the URL.',
    schema: { type: 'string' },
    required: true,
  })),
  body: { bytes: true },
  response: { nothing: 'The bytes are stored.' },
  errors: ['forbidden', 'storageFull'],
};

interface UploadRequest {
  Params: { '*': string };
  Body: Readable | undefined;
}

/**
 * `PUT /files/upload/<key>`: stores the bytes of an upload in the embedded storage, as S3 would. The signature is the only
 * authorization. A plain Fastify route, because it needs the body as a stream, even if it is JSON.
 */
@Injectable()
export class UploadRoute implements OnModuleInit {
  /** Key → the connection of its current upload. */
  private readonly underWay = new Map<string, Socket>();
  /** Current writes. Each ends soon after its connection. */
  private readonly writes = new Set<Promise<void>>();

  constructor(
    private readonly http: HttpAdapterHost,
    private readonly storage: FileStorage,
    private readonly signer: PathSigner,
    private readonly files: StoredFiles,
    private readonly received: ReceivedUploads,
    private readonly routes: Routes,
  ) {}

  /** Registers the route before the routes are complete, so that its other methods get a response. Not needed for S3. */
  onModuleInit(): void {
    const { storage } = this;
    if (!(storage instanceof EmbeddedStorage)) return;
    void this.http.httpAdapter.getInstance<FastifyInstance>().register((scope, _options, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
      scope.put<UploadRequest>(
        `${UPLOAD_PATH}*`,
        {
          config: { rawBody: true, isSigned: true },
          // Before the body is read.
          onRequest: (request) => this.check(request, storage),
        },
        (request, reply) => this.receive(request, reply, storage),
      );
      scope.addHook('onClose', () => this.end());
      done();
    });
    this.routes.add(ROUTE, OPERATION);
  }

  /** @throws ApiError 403 if the upload is not allowed, 503, 507 */
  private async check(request: FastifyRequest<UploadRequest>, storage: EmbeddedStorage): Promise<void> {
    const denied = denyUpload(request, this.termsOf(request));
    if (denied) throw denied;
    await this.checkAwaited(request.params['*']);
    const size = Number(request.headers['content-length']);
    await this.received.checkRoom(size, request.params['*']);
    await storage.checkRoom(size);
  }

  /** Receives the bytes. A later upload to the same key replaces an earlier one, whose connection probably broke. */
  private async receive(
    request: FastifyRequest<UploadRequest>,
    reply: FastifyReply,
    storage: EmbeddedStorage,
  ): Promise<void> {
    const key = request.params['*'];
    const { socket } = request.raw;
    const endsAt = Number((request.query as QueryParams).get('expires')?.[0]) * 1000 + UPLOAD_TAIL_MS;
    const size = Number(request.headers['content-length']);
    const earlier = this.underWay.get(key);
    if (earlier !== socket) earlier?.destroy();
    this.underWay.set(key, socket);
    try {
      const write = storage.write(key, async (fragment) => {
        const checkRoom = () => storage.checkRoom(0);
        await receiveBody(request.raw, fragment, size, { ...request.server.limits, endsAt }, checkRoom);
        await this.checkAwaited(key);
        await this.received.checkRoom(size, key);
        await this.received.record(key);
      });
      this.writes.add(write);
      await write.finally(() => this.writes.delete(write));
    } finally {
      if (this.underWay.get(key) === socket) this.underWay.delete(key);
    }
    await reply.code(200).header('content-length', '0').removeHeader('content-type').send();
  }

  /** After the connections were closed, waits for aborted uploads to remove their fragments. */
  private async end(): Promise<void> {
    await withTimeout(END_MS, Promise.allSettled(this.writes), []);
  }

  /** Refuses an upload that no file waits for. Its bytes would bypass all limits until the URL expires. */
  private async checkAwaited(key: string): Promise<void> {
    if (await this.files.isAwaited(key)) return;
    throw forbidden('This upload URL is over: its file is imported or deleted. Create a new file record.');
  }

  private termsOf(request: FastifyRequest<UploadRequest>): SignedTerms | null {
    if (!isKey(request.params['*'])) return null;
    const [path = ''] = (request.raw.url ?? '').split('?');
    return this.signer.verify('PUT', path, request.query as QueryParams);
  }
}

/** The reason to refuse a request; null for none. */
function denyUpload({ headers }: FastifyRequest, terms: SignedTerms | null): ApiError | null {
  if (!terms) return forbidden('This upload URL is not valid, or is over. Create a new file record.');
  if (essenceOf(headers['content-type'] ?? '') !== essenceOf(terms.type ?? '')) {
    return forbidden(`This upload URL takes the content type ${terms.type ?? ''} alone.`);
  }
  if (headers['content-length'] !== terms.size) {
    return forbidden(`This upload URL takes exactly ${terms.size ?? ''} bytes, with a Content-Length.`);
  }
  return null;
}
