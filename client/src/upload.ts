import { KindredError } from './kindred-error.js';
import type { Schemas } from './types.js';

/** A file to be uploaded. */
export interface UploadSource {
  /** With the extension of a supported type; by default the name of a `File`. */
  readonly filename?: string;
  /** By default the type of a `Blob`. */
  readonly contentType?: string;
  readonly bytes: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;
}

/** What the first step of an upload posts. */
export function describeUpload({ bytes, filename, contentType }: UploadSource): Schemas['ObjectFile.Create'] {
  const isBlob = bytes instanceof Blob;
  return {
    filename: filename ?? (isBlob && 'name' in bytes ? String(bytes.name) : ''),
    contentType: contentType ?? (isBlob ? bytes.type : ''),
    sizeInBytes: isBlob ? bytes.size : bytes.byteLength,
  };
}

/** The second step: sends the bytes where the first one says, without the session. */
export async function sendBytes(
  { meta }: Schemas['ObjectFile.Created'],
  { bytes }: UploadSource,
  send: (request: Request) => Promise<Response>,
): Promise<void> {
  const headers = new Headers(meta.uploadHeaders);
  headers.delete('content-length'); // fetch sets it, and in browsers nobody else may
  const request = new Request(meta.presignedUrl, {
    method: 'PUT',
    headers,
    body: bytes,
    credentials: 'omit',
  });
  const response = await send(request);
  if (!response.ok) throw await KindredError.of(response);
  await response.arrayBuffer(); // so that the connection can be used again
}
