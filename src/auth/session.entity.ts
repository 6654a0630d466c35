import { Column, ForeignKey, Index } from 'typeorm';
import { Kind } from '../record/schema/kind.js';
import { Prop } from '../record/schema/prop.js';
import { RecordEntity } from '../record/record.entity.js';

/**
 * A session of a user. Its public id is the cookie's value, a secret of 256 random bits, of which only the hash is stored.
 * So there are no generic routes and no list, and reading a session requires its id.
 */
@Kind({
  kind: 'Session',
  path: 'sessions',
  description: 'A login. Its id is the value of the cookie, so it is a secret.',
  owner: ['$userId'],
  view: ['owner'],
  create: [],
  generic: false,
})
export class Session extends RecordEntity {
  @Prop.parent({ name: 'user', kind: 'User', required: true, onDelete: 'cascade', view: ['owner'], edit: [] })
  userId!: string;

  @Prop.enum({
    required: true,
    enums: ['apiKey', 'password'],
    enumLabels: ['API Key', 'Password'],
    view: ['owner'],
    edit: [],
  })
  type!: 'apiKey' | 'password';

  @Prop.date({ required: true, view: ['owner'], edit: [] })
  expiresAt!: Date;

  /** SHA-256 of the session id, hex. */
  @Index('uq_sessions_tokenHash', { unique: true })
  @Column({ type: 'varchar', length: 64, select: false })
  tokenHash!: string;

  /** The key that logged in: deleting it ends the session. */
  @Index('ix_sessions_apiKeyId')
  @ForeignKey('ApiKey', { name: 'fk_sessions_apiKeyId', onDelete: 'CASCADE' })
  @Column({ type: 'bigint', nullable: true, select: false })
  apiKeyId!: string | null;
}
