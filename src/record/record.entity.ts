import { Column, PrimaryGeneratedColumn } from 'typeorm';

/**
 * The props of every record. It has no behaviour: the engine reads declarations, and services get plain rows. The three
 * props are declared in kind.ts (BASE_PROPS).
 */
export abstract class RecordEntity {
  /** 64-bit identity as a decimal text. The API shows an encrypted id instead (ids.ts). */
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}
