import { Kind, kindOf } from './kind.js';
import type { KindDef, KindOptions } from './kind-def.js';
import { Prop } from './prop.js';
import { RecordEntity } from '../record.entity.js';

/** Everybody sees it, owners change it. */
export const ALL = { view: ['public'], edit: ['owner'] } as const;
/** A prop like any other. */
export const PLAIN = Prop.string({ length: 10, ...ALL });

/** Declares a kind as a class would. `props`: name → decorator. */
export function declare(
  options: Partial<KindOptions>,
  props: Readonly<Record<string, PropertyDecorator>> = {},
): KindDef {
  class Sample extends RecordEntity {}
  for (const [name, decorate] of Object.entries(props)) decorate(Sample.prototype, name);
  Kind({ kind: 'Sample', path: 'samples', owner: [], view: ['public'], create: [], ...options })(Sample);
  return kindOf(Sample);
}

/** The prop of a role: an entry of `props`. */
export const role = (name: string) =>
  [name, Prop.boolean({ enumLabels: ['No', 'Yes'], view: ['owner'], edit: [] })] as const;
/** The kind User, with the two roles that every service has and `more` of them. */
export const user = (...more: string[]) =>
  declare(
    { kind: 'User', path: 'users', owner: ['$id', 'admin'], create: ['public'] },
    Object.fromEntries(['admin', 'developer', ...more].map(role)),
  );
/** A relation to a parent. */
export const parent = (name: string, kind: string, more: object = {}) =>
  Prop.parent({ name, kind, onDelete: 'cascade', ...ALL, ...more });
