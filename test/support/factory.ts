import {
  BASE_PROPS,
  inheritingProps,
  isRuled,
  isScarce,
  isSpared,
  isStored,
  isWritten,
  namesMember,
  needsFreshParent,
  ownerProps,
  sampleValue,
} from './values.js';
import type { LinkedKind } from '../../src/record/schema/kind-graph.js';
import type { PropDef } from '../../src/record/schema/prop.js';
import type { Answer, Json } from './client.js';
import { type Actor, mayCreate, mayEdit } from './reference-model.js';
import type { Seeder } from './seeder.js';

/** Counts up over all factories, so that no unique value occurs twice. */
let serial = 100;

/** Makes records over HTTP as one actor, with parents of its own. */
export class Factory {
  private readonly parents = new Map<LinkedKind, string>();
  /** Kinds of which a record is being made: relations may go in circles, and end where one is optional. */
  private readonly making = new Set<LinkedKind>();
  private readonly lists = new Map<LinkedKind, Json>();

  constructor(
    private readonly seeder: Seeder,
    readonly actor: Actor,
  ) {}

  /** The props that the actor can post, in order of declaration. */
  postable(kind: LinkedKind): PropDef[] {
    return kind.props.filter(
      (prop) => prop.type !== 'virtual' && !prop.updateOnly && mayEdit(this.actor, prop),
    );
  }

  /** The required props that only others may set, such as a group which an owner is not in, in order of declaration. */
  lacking(kind: LinkedKind): PropDef[] {
    const owning = ownerProps(kind);
    return kind.props.filter((prop) => {
      const isOpen = prop.edit.length > 0 && !prop.noSetAll && !owning.includes(prop);
      return prop.required && (prop.default ?? '') === '' && isOpen && !mayEdit(this.actor, prop);
    });
  }

  /** Whether the actor can make records over the API: `create` lets it, and it may set all that is required. */
  canPost(kind: LinkedKind): boolean {
    return mayCreate(kind, this.actor) && isWritten(kind) && this.lacking(kind).length === 0;
  }

  /** A complete body; who owns the record is left to the service. */
  async body(kind: LinkedKind): Promise<Record<string, unknown>> {
    const body: Record<string, unknown> = {};
    const owning = ownerProps(kind);
    for (const prop of this.postable(kind)) {
      if (owning.includes(prop) || isSpared(kind, prop)) continue;
      if (!prop.required && prop.relation?.type === 'parent') {
        if (prop.relation.acceptedFileExtensions) continue;
        // Each would need one more, and that one more.
        if (prop.relation.kind === kind.kind && needsFreshParent(kind, prop)) continue;
        if (this.making.has(this.seeder.graph.get(prop.relation.kind))) continue;
      }
      body[prop.name] =
        prop.type === 'boolean' && prop.default !== undefined ? prop.default : await this.value(kind, prop);
    }
    return body;
  }

  /** A value that the actor may set, another one at each call as far as there are others. */
  async value(kind: LinkedKind, prop: PropDef): Promise<unknown> {
    const n = serial++;
    if (prop.relation?.type === 'parent') {
      const parent = this.seeder.graph.get(prop.relation.kind);
      const extensions = prop.relation.acceptedFileExtensions;
      if (extensions) return this.file(parent, extensions[n % extensions.length] ?? '');
      // The actor stays out of the groups of what it makes, so that it has an owner's say and no other.
      return needsFreshParent(kind, prop) || namesMember(kind, prop)
        ? this.fresh(parent)
        : this.parent(parent);
    }
    if (prop.options !== undefined && !isRuled(kind, prop)) {
      const list = (await this.options(kind))[prop.name] as { value: string }[];
      return list[n % list.length]?.value;
    }
    return sampleValue(kind, prop, n);
  }

  /** Posts a complete body, with changes. */
  async post(kind: LinkedKind, changes: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return this.actor.call.post(`/${kind.path}`, { ...(await this.body(kind)), ...changes });
  }

  /**
   * The id of a fresh record that the actor owns; a kind of which it can post none gets a row in its table. Where it can
   * have few, those that it has go first.
   */
  async create(kind: LinkedKind): Promise<string> {
    if (isScarce(kind)) await this.seeder.clear(kind, this.actor.id);
    if (!this.canPost(kind)) return this.seeder.insert(kind, await this.row(kind));
    this.making.add(kind);
    const { status, text, body } = await this.post(kind);
    this.making.delete(kind);
    if (status !== 201) throw new Error(`POST /${kind.path} as ${this.actor.name}: ${status} ${text}`);
    return String((body.props as Json).id);
  }

  /** The id of a record of `kind` that the actor owns; the same one each time. */
  async parent(kind: LinkedKind): Promise<string> {
    if (kind === this.seeder.graph.userKind && this.actor.id !== null) return this.actor.id;
    let id = isScarce(kind) ? await this.seeder.find(kind, this.actor.id) : this.parents.get(kind);
    if (id === undefined) this.parents.set(kind, (id = await this.create(kind)));
    return id;
  }

  /** A parent that no other record has. */
  private async fresh(kind: LinkedKind): Promise<string> {
    if (kind !== this.seeder.graph.userKind) return this.create(kind);
    return this.seeder.insert(kind, await this.row(kind));
  }

  /** The id of a file of the actor's that has been imported. */
  private async file(kind: LinkedKind, extension: string): Promise<string> {
    const row = await this.row(kind);
    return this.seeder.insert(kind, { ...row, status: 'ready', extension, filename: `file.${extension}` });
  }

  /** `GET /<path>/options`. */
  async options(kind: LinkedKind): Promise<Json> {
    let lists = this.lists.get(kind);
    if (!lists) this.lists.set(kind, (lists = (await this.actor.call.get(`/${kind.path}/options`)).body));
    return lists;
  }

  /** The values of a complete row, owned by the actor, for kinds and props that no body may set. */
  async row(kind: LinkedKind): Promise<Record<string, unknown>> {
    const row: Record<string, unknown> = {};
    const needed = new Set([...ownerProps(kind), ...inheritingProps(kind)]);
    for (const prop of kind.props) {
      if (!isStored(prop) || BASE_PROPS.includes(prop.name)) continue;
      if (prop.relation?.type === 'parent' && !prop.required && !needed.has(prop)) continue;
      if (isSpared(kind, prop)) continue;
      row[prop.name] =
        prop.options === undefined ? await this.value(kind, prop) : sampleValue(kind, prop, serial++);
    }
    return row;
  }
}
