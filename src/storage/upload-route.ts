import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, forbidden, malformed, storageUnavailable } from '../http/errors.js';
import type { Query } from '../http/query.js';
import type { Operation } from '../openapi/operation.decorator.js';
import type { Route } from '../openapi/routes.js';
import { type EmbeddedStorage, UPLOAD_PATH } from './embedded-storage.js';
import { isKey } from './file-storage.js';
import type { PathSigner } from './signed-path.js';

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
    errors: ['forbidden'],
  },
};

interface UploadRequest {
  Params: { '*': string };
  Body: Readable | undefined;
}

/**
 * `PUT /files/upload/<key>`: takes the bytes of an upload into the embedded storage, as S3 would. The signature is all
 * the right that it needs. Must be installed before the application's own routes.
 */
export function installUploadRoute(
  instance: FastifyInstance,
  storage: EmbeddedStorage,
  signer: PathSigner,
): void {
  void instance.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    scope.put<UploadRequest>(
      `${UPLOAD_PATH}*`,
      {
        config: { rawBody: true },
        // Before the body is looked at.
        onRequest: (request, _reply, next) => next(refusal(request, signer) ?? undefined),
      },
      (request, reply) => receive(request, reply, storage),
    );
    done();
  });
}

const termsOf = (request: FastifyRequest, signer: PathSigner) => {
  const [path = ''] = (request.raw.url ?? '').split('?');
  return signer.verify('PUT', path, request.query as Query);
};

/** Why these bytes must not come in; null when they may. */
function refusal(request: FastifyRequest, signer: PathSigner): ApiError | null {
  const key = (request.params as UploadRequest['Params'])['*'];
  const terms = isKey(key) ? termsOf(request, signer) : null;
  if (!terms) return forbidden('This upload URL is not valid, or is over. Create a new file record.');
  const { headers } = request;
  if (headers['content-type']?.toLowerCase() !== terms.type) {
    return forbidden(`This upload URL takes the content type ${terms.type ?? ''} alone.`);
  }
  if (headers['content-length'] !== terms.size) {
    return forbidden(`This upload URL takes exactly ${terms.size ?? ''} bytes, with a Content-Length.`);
  }
  return null;
}

async function receive(
  request: FastifyRequest<UploadRequest>,
  reply: FastifyReply,
  storage: EmbeddedStorage,
): Promise<void> {
  const size = Number(request.headers['content-length']);
  await storage.write(request.params['*'], (fragment) => fill(fragment, request.raw, size));
  await reply.code(200).header('content-length', '0').removeHeader('content-type').send();
}

/** Streams the body into a file; a body of another length than announced leaves nothing. */
async function fill(fragment: string, body: Readable, size: number): Promise<void> {
  let received = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      received += chunk.length;
      next(received > size ? malformed('The body is longer than announced.') : null, chunk);
    },
  });
  try {
    await pipeline(body, counted, createWriteStream(fragment, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw body.errored ? malformed('The body ended early.') : storageUnavailable(error);
  }
  if (received !== size) throw malformed('The body is not as long as Content-Length says.');
}
