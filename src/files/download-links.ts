import { Injectable } from '@nestjs/common';
import { PublicUrl } from '../storage/public-url.js';
import { PathSigner } from '../storage/signed-path.js';

/** Milliseconds that a link to the bytes of a private file is valid. */
const LINK_MS = 15 * 60_000;

/** Where the bytes of private files are read; the path without the file's id and the variant. */
export const DOWNLOAD_PATH = '/files/';

/** What a link leads to: the file, or a small picture of it. */
export type Variant = 'file' | 'thumbnail';

/** Signed, expiring links to the bytes of files: whoever has one needs no session. */
@Injectable()
export class DownloadLinks {
  constructor(
    private readonly signer: PathSigner,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** @param id the file's public id */
  path(id: string, variant: Variant): string {
    const expiresAt = new Date(Date.now() + LINK_MS);
    return this.signer.sign('GET', `${DOWNLOAD_PATH}${id}/${variant}`, {}, expiresAt);
  }

  url(id: string, variant: Variant): string {
    return this.publicUrl.of(this.path(id, variant));
  }

  /** Whether a request may have the bytes. */
  allows(id: string, variant: Variant, query: ReadonlyMap<string, readonly string[]>): boolean {
    return this.signer.verify('GET', `${DOWNLOAD_PATH}${id}/${variant}`, query) !== null;
  }
}
