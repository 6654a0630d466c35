import { Column, PrimaryGeneratedColumn } from 'typeorm';

/**
 * What every record has. No behaviour: the engine reads declarations, and services get plain rows.
 * The declarations of these three props stand in kind.ts (BASE_PROPS).
 */
export abstract class RecordEntity {
  /** 64-bit identity as a decimal text. Outside it is an encrypted id (ids.ts); this integer never leaves. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}
