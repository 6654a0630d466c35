import { stat } from 'node:fs/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { Client } from 'minio';
import type { Config } from '../config/config.js';
import { StartupError } from '../common/startup-error.js';
import { ApiError } from '../common/errors.js';
import { codeOf } from '../common/error-code.js';
import { inTime, isStorageError, orNull, putFile, reached } from './s3-calls.js';
import type { ByteRange } from '../http/byte-range.js';
import { FileStorage, isKey, type UploadGrant, type UploadTerms } from './file-storage.js';

/** The deadline for the beginning of a response, in milliseconds. */
const RESPONSE_MS = 10_000;
/** The deadline for moving a whole object, in milliseconds. */
const OBJECT_MS = 60_000;
/** Milliseconds that an idle connection is kept. */
const IDLE_MS = 15_000;
/** How long the start waits for an unavailable storage, in milliseconds. */
const MAX_WAIT_MS = 60_000;
const PAUSE_MS = 1000;

/** The settings that {@link S3Storage} reads. */
export type S3Config = Pick<
  Config,
  's3Endpoint' | 's3PublicEndpoint' | 's3Region' | 's3Bucket' | 's3AccessKey' | 's3SecretKey'
>;

/** Objects in a bucket of an S3-compatible storage. Paths name the bucket (`/bucket/key`), which all of them understand. */
export class S3Storage extends FileStorage {
  private readonly client: Client;
  private readonly agent: HttpAgent;
  private readonly bucket: string;
  private readonly publicEndpoint: string;

  /** @param maxWaitMs how long `prepare` waits for an unavailable storage; for tests */
  constructor(
    private readonly config: S3Config,
    private readonly maxWaitMs = MAX_WAIT_MS,
  ) {
    super();
    const { protocol, hostname, port } = new URL(config.s3Endpoint);
    const isTls = protocol === 'https:';
    this.agent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: true, timeout: IDLE_MS });
    this.bucket = config.s3Bucket;
    this.publicEndpoint = config.s3PublicEndpoint || config.s3Endpoint;
    this.client = new Client({
      endPoint: hostname.replace(/^\[|\]$/g, ''),
      port: port ? Number(port) : undefined,
      useSSL: isTls,
      accessKey: config.s3AccessKey,
      secretKey: config.s3SecretKey,
      // Given, so that the client need not ask for it.
      region: config.s3Region,
      pathStyle: true,
      transportAgent: this.agent,
      retryOptions: { disableRetry: true },
    });
  }

  async prepare(): Promise<void> {
    const end = Date.now() + this.maxWaitMs;
    for (;;) {
      try {
        if (!(await inTime(RESPONSE_MS, this.client.bucketExists(this.bucket)))) {
          await inTime(RESPONSE_MS, this.client.makeBucket(this.bucket, this.config.s3Region));
        }
        return;
      } catch (cause) {
        // Another instance was faster.
        if (codeOf(cause) === 'BucketAlreadyOwnedByYou') return;
        const isAway = cause instanceof ApiError || !isStorageError(cause);
        if (!isAway || Date.now() >= end) {
          throw new StartupError(
            `The bucket ${this.bucket} can’t be used (${codeOf(cause) || 'no answer'}): check the S3_… settings and that the storage is running.`,
            { cause },
          );
        }
      }
      await sleep(PAUSE_MS);
    }
  }

  async grantUpload(key: string, { contentType, size, expiresAt }: UploadTerms): Promise<UploadGrant> {
    const headers = { 'content-type': contentType, 'content-length': String(size) };
    const url = await this.signedPut(this.publicEndpoint, key, headers, expiresAt);
    return { url: url.href, headers };
  }

  async size(key: string): Promise<number | null> {
    const name = checked(key);
    return orNull(async () => {
      const { size } = await inTime(RESPONSE_MS, this.client.statObject(this.bucket, name));
      return size;
    });
  }

  async read(key: string, range?: ByteRange): Promise<Readable | null> {
    const { client, bucket } = this;
    const name = checked(key);
    return orNull(() =>
      inTime(
        RESPONSE_MS,
        range
          ? client.getPartialObject(bucket, name, range.start, range.end - range.start + 1)
          : client.getObject(bucket, name),
      ),
    );
  }

  /** S3 has no call for the remaining space. */
  checkRoom(): Promise<void> {
    return Promise.resolve();
  }

  async store(key: string, file: string, contentType: string): Promise<void> {
    const { size } = await stat(file);
    const headers = { 'content-type': contentType, 'content-length': String(size) };
    const expiresAt = new Date(Date.now() + OBJECT_MS);
    const url = await this.signedPut(this.config.s3Endpoint, key, headers, expiresAt);
    // The client's own putObject would hold the whole file in memory, and could not be broken off.
    await reached(() => putFile(url, headers, file, { agent: this.agent, ms: OBJECT_MS }));
  }

  async copy(from: string, to: string): Promise<boolean> {
    const source = `/${this.bucket}/${checked(from)}`;
    const target = checked(to);
    const copied = await orNull(async () => {
      await inTime(OBJECT_MS, this.client.copyObject(this.bucket, target, source));
      return true;
    });
    return copied ?? false;
  }

  async remove(key: string): Promise<void> {
    const name = checked(key);
    await orNull(() => inTime(RESPONSE_MS, this.client.removeObject(this.bucket, name)));
  }

  /** S3 keeps no incomplete objects. */
  sweep(): Promise<void> {
    return Promise.resolve();
  }

  async keys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const item of this.client.listObjectsV2(this.bucket, '', true)) {
      const { name } = item as { name?: string };
      if (name !== undefined) keys.push(name);
    }
    return keys;
  }

  /** A URL that takes one PUT with exactly these headers. The client's own presign signs the host alone. */
  private async signedPut(
    endpoint: string,
    key: string,
    headers: Record<string, string>,
    expiresAt: Date,
  ): Promise<URL> {
    const url = new URL(`${endpoint}/${this.bucket}/${checked(key)}`);
    const seconds = Math.max(1, Math.ceil((expiresAt.getTime() - Date.now()) / 1000));
    url.searchParams.set('X-Amz-Expires', String(seconds));
    const signer = new AwsV4Signer({
      method: 'PUT',
      url: url.href,
      headers,
      service: 's3',
      region: this.config.s3Region,
      accessKeyId: this.config.s3AccessKey,
      secretAccessKey: this.config.s3SecretKey,
      signQuery: true,
      allHeaders: true,
    });
    return (await signer.sign()).url;
  }
}

function checked(key: string): string {
  if (!isKey(key)) throw new Error('This is no object key.');
  return key;
}
