import { Module } from '@nestjs/common';
import { MediaPool } from '../../media/media-pool.js';
import { StorageModule } from '../../storage/storage.module.js';
import { DeleteUnusedObjectFilesHandler } from './delete-unused-object-files.handler.js';
import { DownloadController } from './download.controller.js';
import { DownloadLinks } from './download-links.js';
import { FileClaims } from './file-claims.js';
import { FileImports } from './file-imports.js';
import { FileVerifier } from './file-verifier.js';
import { Leftovers } from './leftovers.js';
import { ObjectFileController } from './object-file.controller.js';
import { ObjectFileService } from './object-file.service.js';
import { StorageKeeper } from './storage-keeper.js';
import { StoredFiles } from './stored-files.js';
import { UnusedFiles } from './unused-files.js';

/** The kind ObjectFile, and what other kinds need to import files. */
@Module({
  imports: [StorageModule],
  controllers: [ObjectFileController, DownloadController],
  providers: [
    ObjectFileService,
    DownloadLinks,
    FileClaims,
    FileImports,
    FileVerifier,
    Leftovers,
    MediaPool,
    StorageKeeper,
    StoredFiles,
    UnusedFiles,
    DeleteUnusedObjectFilesHandler,
  ],
  exports: [StorageModule, DownloadLinks, FileImports, MediaPool, StorageKeeper, StoredFiles, UnusedFiles],
})
export class ObjectFileModule {}
