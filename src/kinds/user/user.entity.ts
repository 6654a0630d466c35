import { Column } from 'typeorm';
import { EMAIL, USERNAME } from '../../record/schema/formats.js';
import { Kind } from '../../record/schema/kind.js';
import { Prop } from '../../record/schema/prop.js';
import { RecordEntity } from '../../record/record.entity.js';

/** Owns records, holds privileges and login credentials. Its boolean props are the roles of the service. */
@Kind({
  kind: 'User',
  path: 'users',
  description: 'A user, who logs in and owns records. The boolean props are the roles of the service.',
  owner: ['$id', 'admin'],
  view: ['public'],
  create: ['public'],
  base: { createdAt: { filterQualifier: true } },
})
export class User extends RecordEntity {
  @Prop.string({
    required: true,
    default: '',
    length: 60,
    unique: true,
    uniqueCaseInsensitive: true,
    format: USERNAME,
    filterQuery: true,
    view: [],
    edit: ['owner'],
  })
  username!: string;

  @Prop.string({
    required: true,
    length: 256,
    unique: true,
    uniqueCaseInsensitive: true,
    format: EMAIL,
    filterQuery: true,
    view: [],
    edit: ['owner'],
  })
  email!: string;

  @Prop.string({ length: 60, filterQuery: true, example: 'Olive Example', view: ['owner'], edit: ['owner'] })
  realName!: string | null;

  /** Write-only; stored as `passwordHash`. */
  @Prop.string({
    required: true,
    writeOnly: true,
    minLength: 8,
    length: 256,
    example: 'correct horse battery',
    view: [],
    edit: ['owner'],
  })
  password!: never;

  /** What {@link UserService} compares with `passwordHash`. */
  @Prop.string({
    writeOnly: true,
    updateOnly: true,
    length: 256,
    description: 'Your current password; required to change your own username, e-mail address or password.',
    example: 'correct horse battery',
    view: [],
    edit: ['owner'],
  })
  currentPassword!: never;

  @Prop.enum({
    required: true,
    default: 'username',
    enums: ['username', 'email', 'realName'],
    enumLabels: ['Username', 'Email Address', 'Real Name'],
    description: 'Which name everyone sees, as `meta.displayName`.',
    view: ['owner'],
    edit: ['owner'],
  })
  useAsDisplayName!: 'username' | 'email' | 'realName';

  @Prop.boolean({
    required: true,
    default: false,
    enumLabels: ['Not Admin', 'Admin'],
    filterQualifier: true,
    view: ['owner'],
    edit: ['admin'],
  })
  admin!: boolean;

  @Prop.boolean({
    required: true,
    default: false,
    enumLabels: ['Not Developer', 'Developer'],
    filterQualifier: true,
    view: ['owner'],
    edit: ['admin'],
  })
  developer!: boolean;

  @Prop.boolean({
    required: true,
    default: false,
    enumLabels: ['Not Verified', 'Verified'],
    description: 'A new e-mail address resets it.',
    view: ['owner'],
    edit: ['admin'],
  })
  verifiedEmail!: boolean;

  @Prop.parent({
    description: 'The picture; the address of its bytes is the link `avatarImage`.',
    name: 'avatar',
    kind: 'ObjectFile',
    acceptedFileExtensions: ['png', 'jpeg', 'jpg', 'gif'],
    onDelete: 'null',
    view: ['public'],
    edit: ['owner'],
  })
  avatarId!: string | null;

  @Prop.children({ name: 'objectfiles', kind: 'ObjectFile', view: ['owner'] })
  objectfiles!: never;

  @Prop.children({ name: 'apikeys', kind: 'APIKey', view: ['owner'] })
  apikeys!: never;

  /** Argon2id. Not a prop: the record engine selects only props, so no response can contain it. */
  @Column({ type: 'varchar', length: 256, select: false })
  passwordHash!: string;
}
