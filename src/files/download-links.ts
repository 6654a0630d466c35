import { Injectable } from '@nestjs/common';
import { PublicUrl } from '../storage/public-url.js';
import { PathSigner } from '../storage/signed-path.js';

/** How long a link to the bytes of a private file is valid, in milliseconds. */
const LINK_MS = 15 * 60_000;

/** The path of downloads; the file's id and the variant follow. */
export const DOWNLOAD_PATH = '/files/';

/** The target of a link: the file or its thumbnail. */
export type Variant = 'file' | 'thumbnail';

/** Signed, expiring links to the bytes of files, which work without a session. */
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

  /** Whether a request may read the bytes. */
  allows(id: string, variant: Variant, query: ReadonlyMap<string, readonly string[]>): boolean {
    return this.signer.verify('GET', `${DOWNLOAD_PATH}${id}/${variant}`, query) !== null;
  }
}
