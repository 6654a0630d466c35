import { Column, Index } from 'typeorm';
import { Kind } from '../../record/schema/kind.js';
import { Prop } from '../../record/schema/prop.js';
import { RecordEntity } from '../../record/record.entity.js';

/**
 * An uploaded file. Its bytes are in the storage, under keys that no response contains. A database trigger (in the
 * migration) records every key that is removed from a row in `storage_removals`, in the same transaction, so that any
 * deletion of a row, even by a cascade, also removes its bytes.
 */
@Kind({
  kind: 'ObjectFile',
  path: 'objectfiles',
  description:
    'A file, uploaded in three steps: create the record; `PUT` the bytes to `meta.presignedUrl`, with ' +
    '`meta.uploadHeaders`; import it into a record, such as a user’s avatar. Imports check the bytes, not what the ' +
    'client declared.',
  owner: ['$userId', 'admin'],
  view: ['owner'],
  create: ['owner'],
})
@Index('ix_objectfiles_stagingKey', ['stagingKey'], { where: `"stagingKey" IS NOT NULL` })
@Index('ix_objectfiles_pending', ['createdAt'], { where: `status = 'pending'` })
export class ObjectFile extends RecordEntity {
  @Prop.string({
    required: true,
    createOnly: true,
    length: 256,
    filterQuery: true,
    example: 'olive.png',
    description: 'Ends in an extension that some relation accepts; stored in the Unicode form NFC.',
    view: ['owner'],
    edit: ['owner'],
  })
  filename!: string;

  @Prop.string({
    required: true,
    createOnly: true,
    length: 256,
    example: 'image/png',
    description: 'One that belongs to the extension, or that browsers and phones send for it.',
    view: ['owner'],
    edit: ['owner'],
  })
  contentType!: string;

  @Prop.int({
    required: true,
    createOnly: true,
    min: 1,
    example: 116,
    description: 'The size of the upload; after the import, of the stored file.',
    filterQualifier: true,
    filterRange: true,
    view: ['owner'],
    edit: ['owner'],
  })
  sizeInBytes!: number;

  @Prop.string({
    required: true,
    length: 32,
    description: 'The extension of the filename, in lower case.',
    filterQualifier: true,
    view: ['owner'],
    edit: [],
  })
  extension!: string;

  @Prop.enum({
    required: true,
    default: 'pending',
    enums: ['pending', 'ready', 'postProcessingFailed', 'verifyFailed'],
    enumLabels: ['Pending', 'Ready', 'Post-Processing Failed', 'Verify Failed'],
    filterQualifier: true,
    view: ['owner'],
    edit: [],
  })
  status!: 'pending' | 'ready' | 'postProcessingFailed' | 'verifyFailed';

  /** Facts by an allow list. */
  @Prop.json({
    description: 'Facts about an imported file: `width`, `height`, `format`, `pages`, `entries`.',
    view: ['owner'],
    edit: [],
  })
  metadata!: Record<string, string | number> | null;

  @Prop.parent({
    name: 'user',
    kind: 'User',
    required: true,
    onDelete: 'cascade',
    filterQualifier: true,
    view: ['owner'],
    edit: [],
  })
  userId!: string;

  @Prop.children({ name: 'avatarUsers', kind: 'User', view: ['owner'] })
  avatarUsers!: never;

  /** Where the client uploads to; null once the file is imported or has failed. */
  @Column({ type: 'varchar', length: 64, nullable: true, select: false })
  stagingKey!: string | null;

  /** After this time no upload to `stagingKey` can still arrive. */
  @Column({ type: 'timestamptz', nullable: true, select: false })
  uploadsEndAt!: Date | null;

  /** The bytes that have arrived at `stagingKey`; null until they have, or until somebody has looked for them in vain. */
  @Column({ type: 'bigint', nullable: true, select: false })
  receivedBytes!: string | null;

  /** The keys of the verified bytes and of their thumbnail; null unless the file is ready (and an image). */
  @Column({ type: 'varchar', length: 64, nullable: true, select: false })
  fileKey!: string | null;

  @Column({ type: 'varchar', length: 64, nullable: true, select: false })
  thumbnailKey!: string | null;

  /** The current import and the end of its lease. */
  @Column({ type: 'varchar', length: 64, nullable: true, select: false })
  claim!: string | null;

  @Column({ type: 'timestamptz', nullable: true, select: false })
  claimedUntil!: Date | null;
}
