import { join } from 'node:path';
import { Module, type OnModuleInit } from '@nestjs/common';
import { Config } from '../config/config.js';
import { EmbeddedStorage } from './embedded-storage.js';
import { FileStorage } from './file-storage.js';
import { PublicUrl } from './public-url.js';
import { PathSigner } from './signed-path.js';

/** Loads the S3 client only if there is a bucket: it takes much of the start's time. */
async function s3Storage(config: Config): Promise<FileStorage> {
  const { S3Storage } = await import('./s3-storage.js');
  return new S3Storage(config);
}

/** Where the bytes of files are: a bucket when S3_ENDPOINT is set, else a folder under DATA_DIR. */
@Module({
  providers: [
    PublicUrl,
    {
      provide: PathSigner,
      inject: [Config],
      useFactory: (config: Config) => new PathSigner(config.appSecret),
    },
    {
      provide: FileStorage,
      inject: [Config, PathSigner, PublicUrl],
      useFactory: (config: Config, signer: PathSigner, publicUrl: PublicUrl) =>
        config.s3Endpoint
          ? s3Storage(config)
          : new EmbeddedStorage(join(config.dataDir, 'files'), signer, publicUrl, config.minFreeBytes),
    },
  ],
  exports: [FileStorage, PathSigner, PublicUrl],
})
export class StorageModule implements OnModuleInit {
  constructor(private readonly storage: FileStorage) {}

  /** @throws StartupError when the storage can't be used at all */
  onModuleInit(): Promise<void> {
    return this.storage.prepare();
  }
}
