import { Module } from '@nestjs/common';
import { SessionStoreModule } from '../../auth/session-store.module.js';
import { MediaPool } from '../../files/media/media-pool.js';
import { StorageModule } from '../../storage/storage.module.js';
import { DeleteUnusedObjectFilesHandler } from '../../files/delete-unused-object-files.handler.js';
import { DownloadController } from '../../files/download.controller.js';
import { DownloadLinks } from '../../files/download-links.js';
import { FileLeases } from '../../files/file-leases.js';
import { FileImports } from '../../files/file-imports.js';
import { FileVerifier } from '../../files/file-verifier.js';
import { ObjectFileController } from './object-file.controller.js';
import { ObjectFileService } from './object-file.service.js';
import { FileCleaner } from '../../files/file-cleaner.js';
import { ReceivedUploads } from '../../files/received-uploads.js';
import { StoredFiles } from '../../files/stored-files.js';
import { StorageRemovals } from '../../files/storage-removals.js';
import { UploadRoute } from '../../files/upload-route.js';
import { RoutesModule } from '../../openapi-model/routes.module.js';

/** The kind ObjectFile, and what other kinds need to import files. */
@Module({
  imports: [StorageModule, SessionStoreModule, RoutesModule],
  controllers: [ObjectFileController, DownloadController],
  providers: [
    ObjectFileService,
    DownloadLinks,
    FileLeases,
    FileImports,
    FileVerifier,
    MediaPool,
    FileCleaner,
    StorageRemovals,
    ReceivedUploads,
    StoredFiles,
    UploadRoute,
    DeleteUnusedObjectFilesHandler,
  ],
  exports: [StorageModule, DownloadLinks, FileCleaner, FileImports, MediaPool, ReceivedUploads, StoredFiles],
})
export class ObjectFileModule {}
