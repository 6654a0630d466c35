import { Column } from 'typeorm';
import { Kind } from '../../record/schema/kind.js';
import { Prop } from '../../record/schema/prop.js';
import { RecordEntity } from '../../record/record.entity.js';

/** A credential that a developer logs in with: the record's id and a secret that is shown once. */
@Kind({
  kind: 'APIKey',
  path: 'apikeys',
  description:
    'A credential with which a program logs in: the id and a secret, which only the answer to its creation contains.',
  owner: ['$userId', 'admin'],
  view: ['owner'],
  create: ['owner'],
})
export class ApiKey extends RecordEntity {
  @Prop.string({
    required: true,
    length: 60,
    filterQuery: true,
    example: 'laptop',
    view: ['owner'],
    edit: ['owner'],
  })
  name!: string;

  @Prop.parent({
    name: 'user',
    kind: 'User',
    required: true,
    description:
      'The creator, unless an administrator names another user. A key that is given to another user stops working, and its sessions end.',
    onDelete: 'cascade',
    filterQualifier: false,
    view: ['owner'],
    edit: ['owner'],
  })
  userId!: string;

  @Prop.date({
    description: 'After this time the key cannot log in, and its sessions end.',
    view: ['owner'],
    edit: ['owner'],
  })
  expiresAt!: Date | null;

  @Prop.date({ description: 'When the key was last used for a login.', view: ['owner'], edit: [] })
  lastUsedAt!: Date | null;

  /** SHA-256 of the secret, hex. Not a prop, so no response can contain it. */
  @Column({ type: 'varchar', length: 64, select: false })
  secretHash!: string;
}
