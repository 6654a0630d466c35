import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LinkedKind } from '../../src/record/schema/kind-graph.js';
import type { KindValues } from '../../src/record/schema/kind-values.js';
import { columnOf, type PropDef } from '../../src/record/schema/prop.js';

/*
 * Values for props, made from the declaration alone. Everything is in the form of a JSON body, of lower-case letters
 * and digits of the same length where the format allows it, so that every collation sorts it as JavaScript does.
 */

/** The props that every kind has. */
export const BASE_PROPS = ['id', 'createdAt', 'updatedAt'];

/** Bodies of more bytes than this are refused by the service (BODY_LIMIT). */
export const MAX_BODY = 900_000;

const digits = (n: number, width = 4) => String(n).padStart(width, '0');

/** Texts that some format may ask for; `n` makes them differ. */
const CANDIDATES: readonly ((n: number, tag: string) => string)[] = [
  (n, tag) => `w${digits(n)}${tag}`,
  (n, tag) => `m${digits(n)}${tag}@mail.test`,
  (n, tag) => `https://host.test/p${digits(n)}${tag}`,
  (n) => `${digits(n % 60, 2)} ${digits(Math.floor(n / 60) % 24, 2)} * * *`,
  (n) => ['Europe/Paris', 'America/Lima', 'Asia/Tokyo', 'UTC'][n % 4] ?? 'UTC',
  (n) => digits(n, 8),
];

/** Kind → what its service asks beyond the declaration: the `VALUES` that stand beside the kinds (docs/kinds.md). */
const BESIDE = new Map<string, KindValues>();
for (const folder of ['src', 'test/kinds']) {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.values.ts')) continue;
    const { VALUES } = (await import(resolve(folder, file))) as { VALUES?: KindValues };
    if (!VALUES) throw new Error(`${folder}/${file} exports no VALUES.`);
    BESIDE.set(VALUES.kind, VALUES);
  }
}

/** @throws Error when something beside the kinds is for a kind or a column that there is not */
export function checkValues(kinds: readonly LinkedKind[]): void {
  for (const { kind, props = {} } of BESIDE.values()) {
    const found = kinds.filter((one) => one.kind === kind);
    if (!found.length && kind.startsWith('Dummy')) continue; // a kind of other tests
    if (!found.length) throw new Error(`The VALUES of ${kind} are for no kind.`);
    const odd = Object.keys(props).find((name) => !found.some((one) => one.byColumn.has(name)));
    if (odd !== undefined) throw new Error(`The VALUES of ${kind} are for "${odd}", which it does not have.`);
  }
}

const valueBeside = (kind: LinkedKind, prop: PropDef) => BESIDE.get(kind.kind)?.props?.[columnOf(prop)];

/** Whether a format's own rule and the length allow a text. */
function fits(prop: PropDef, text: string): boolean {
  const length = [...text].length;
  if (length > (prop.length ?? Infinity) || length < (prop.minLength ?? 0)) return false;
  return prop.format === undefined || prop.format.test(text);
}

function makeText(prop: PropDef, n: number): string {
  const tag = prop.name.toLowerCase().slice(0, 8);
  // The others repeat themselves: they are for formats alone.
  for (const candidate of prop.format ? CANDIDATES : CANDIDATES.slice(0, 1)) {
    const text = candidate(n, tag);
    if (fits(prop, text)) return text;
    const padded = text.padEnd(prop.minLength ?? 0, 'x');
    if (fits(prop, padded)) return padded;
  }
  // Base 36 goes farthest in little room.
  const short = n
    .toString(36)
    .padStart(4, '0')
    .slice(-(prop.length ?? 4));
  if (fits(prop, short)) return short;
  throw new Error(`values.ts knows no text for prop ${prop.name}: add a candidate for its format.`);
}

/**
 * A valid value of a prop that is no relation and has no dynamic list; different for different `n` as far as the type
 * has that many values.
 */
export function makeValue(prop: PropDef, n: number): unknown {
  switch (prop.type) {
    case 'string':
      return makeText(prop, n);
    case 'int': {
      const min = prop.min ?? -50;
      const max = prop.max ?? Number.MAX_SAFE_INTEGER;
      // The bounds themselves are left to the tests of the bounds: values may have to be unique.
      return max - min > 2 ? min + 1 + (n % Math.min(max - min - 1, 1_000_000)) : min + (n % (max - min + 1));
    }
    case 'date':
      return new Date(Date.UTC(2031, 0, 1, 12, 30, 15, 250) + n * 86_400_000).toISOString();
    case 'enum':
      return prop.enums?.[n % prop.enums.length];
    case 'boolean':
      return n % 2 === 1;
    case 'json':
      return { n, list: [n, 'two', null], deep: { yes: true } };
    case 'id':
    case 'virtual':
      throw new Error(`${prop.name} is a relation.`);
  }
}

/** Whether the kind's service asks more of a prop than the declaration says: only values of {@link sampleValue} will do. */
export const isRuled = (kind: LinkedKind, prop: PropDef): boolean => valueBeside(kind, prop) !== undefined;

/** Whether the tests write records of the kind over the API; else its hooks decide about more than values. */
export const isWritten = ({ kind }: LinkedKind): boolean => BESIDE.get(kind)?.written !== false;

/** {@link makeValue}, but for props of which the kind's service asks more than the declaration says. */
export function sampleValue(kind: LinkedKind, prop: PropDef, n: number): unknown {
  return (valueBeside(kind, prop) ?? ((one) => makeValue(prop, one)))(n);
}

/*
 * Unique rules. A rule holds a record apart from others by one of its props at least, which must have values enough: a text,
 * a number, a date, or a parent that can be made anew for each record. Where all of them are few, as the user who makes a
 * record or an enum, one caller can have few records of the kind.
 */

/** The props that are unique together, for each unique rule. */
const rulesOf = (kind: LinkedKind): PropDef[][] =>
  kind.props
    .filter((prop) => prop.unique)
    .map((prop) => [prop, ...(prop.uniqueQualifiers ?? []).flatMap((name) => kind.byName.get(name) ?? [])]);

/** Whether a prop is part of a unique rule. */
export const isInRule = (kind: LinkedKind, prop: PropDef): boolean =>
  rulesOf(kind).some((rule) => rule.includes(prop));

const isVaried = (prop: PropDef): boolean =>
  prop.type === 'date' ||
  (prop.type === 'string' && prop.options === undefined && (prop.length ?? 0) > 3) ||
  (prop.type === 'int' && (prop.max ?? Infinity) - (prop.min ?? -Infinity) > 100_000);

/** Whether whoever makes a record can name a parent that no other record has. */
function hasFreshParents(kind: LinkedKind, prop: PropDef): boolean {
  if (prop.relation?.type !== 'parent' || ownerProps(kind).includes(prop)) return false;
  const target = [...kind.parents.values()].find((parent) => parent.prop === prop)?.kind;
  // Nobody owns another user than oneself.
  if (target?.owner.includes('$id')) return prop.relation.skipOwnerCheck === true;
  return target !== undefined && (target === kind || !isScarce(target));
}

/** Whether the prop is a parent that each record needs another one of. */
export function needsFreshParent(kind: LinkedKind, prop: PropDef): boolean {
  return rulesOf(kind).some(
    (rule) => rule.includes(prop) && !rule.some(isVaried) && hasFreshParents(kind, prop),
  );
}

/** Whether a prop can be left out, and has too few values for the rule that it is part of: most records go without. */
export const isSpared = (kind: LinkedKind, prop: PropDef): boolean =>
  isLeft(kind, prop) && rulesOf(kind).some((rule) => rule.includes(prop) && isNarrow(kind, rule));

const tightRules = (kind: LinkedKind) =>
  rulesOf(kind).filter((rule) => isNarrow(kind, rule) && !rule.some((prop) => isLeft(kind, prop)));

/** Whether one caller can have few records of a kind: one of each parent, or as many as an enum has values. */
export const isScarce = (kind: LinkedKind): boolean => tightRules(kind).length > 0;

/** Whether all callers together can have few. */
export const isScarceForAll = (kind: LinkedKind): boolean =>
  tightRules(kind).some((rule) => !rule.some((prop) => ownerProps(kind).includes(prop)));

const isLeft = (kind: LinkedKind, prop: PropDef) => !prop.required && !ownerProps(kind).includes(prop);

const isNarrow = (kind: LinkedKind, rule: readonly PropDef[]) =>
  !rule.some((prop) => isVaried(prop) || hasFreshParents(kind, prop));

/** Whether a prop can get another value whatever other records have: not where it is unique by parents, or one of few. */
export const isMovable = (kind: LinkedKind, prop: PropDef): boolean =>
  rulesOf(kind).every((rule) => !rule.includes(prop) || rule.some(isVaried));

/** A valid text of exactly `length` characters; null when no text of that length fits the format. */
export function textOfLength(prop: PropDef, length: number): string | null {
  const domain = (n: number) => ('d'.repeat(60) + '.').repeat(Math.floor(n / 61)) + 'd'.repeat(n % 61);
  const rest = Math.max(length - 66, 1);
  const candidates = [
    'x'.repeat(length),
    `${'l'.repeat(60)}@${domain(rest)}.test`,
    `https://host.test/${'p'.repeat(Math.max(length - 18, 0))}`,
  ];
  return candidates.find((text) => text.length === length && (prop.format?.test(text) ?? true)) ?? null;
}

/** Values that are not of the prop's type, whatever its other attributes. */
export function wrongValues(prop: PropDef): unknown[] {
  const structures = [['a'], { a: 1 }];
  switch (prop.type) {
    case 'string':
      return [1, 0, true, false, ...structures];
    case 'int':
      return ['1', '', 1.5, true, 1e300, 2 ** 53, -(2 ** 53), ...structures];
    case 'date':
      return [
        0,
        1_700_000_000_000,
        true,
        'yesterday',
        '2026-02-30',
        '2026-01-01T10:00:00',
        '01/02/2026',
        ...structures,
      ];
    case 'enum':
      return [0, true, 'no such value', ` ${String(prop.enums?.[0])}`, ...structures];
    case 'boolean':
      return [0, 1, 'yes', 'TRUE', '1', ...structures];
    case 'id':
      return [1, true, '1', 'v', 'vAAAAAAAAAAAAAAAAAAAAAA', 'null', ...structures];
    case 'json':
      return [];
    case 'virtual':
      return [];
  }
}

/** Whether a prop has a column, and so a value in a row. */
export function isStored(prop: PropDef): boolean {
  return prop.type !== 'virtual' && !prop.writeOnly;
}

/** The props that hold the user id of an owner (`$prop`), but for a user's own id. */
export function ownerProps(kind: LinkedKind): PropDef[] {
  return kind.props.filter((prop) => prop.name !== 'id' && kind.owner.includes(`$${prop.name}`));
}

/** Where a list of sources leads to, over groups that it names. */
const sourcesBehind = (
  kind: LinkedKind,
  sources: LinkedKind['owner'] | LinkedKind['groups'][string],
): string[] =>
  sources.flatMap((source) => {
    if (typeof source !== 'string') return [];
    return [source, ...sourcesBehind(kind, kind.groups[source] ?? [])];
  });

const groupSources = (kind: LinkedKind) =>
  Object.values(kind.groups).flatMap((sources) => sourcesBehind(kind, sources));

/** Whether a prop puts a user whom anybody may name, not an owner, in a group of this record or of another one. */
export function namesMember(kind: LinkedKind, prop: PropDef): boolean {
  if (prop.relation?.type !== 'parent' || !prop.relation.skipOwnerCheck) return false;
  const source = `$${prop.name}`;
  if (sourcesBehind(kind, kind.owner).includes(source)) return false;
  return kind.membership?.user === prop.name || groupSources(kind).includes(source);
}

/** Whether a change of the prop may change in which groups of the record its maker is. */
export function carriesGroups(kind: LinkedKind, prop: PropDef): boolean {
  if (prop.relation?.type !== 'parent' || namesMember(kind, prop)) return false;
  const inherited = `^${prop.relation.name}`;
  return groupSources(kind).some(
    (source) => source === `$${prop.name}` || source.split('.')[0] === inherited,
  );
}

/** The props of the parents through which ownership is inherited (`^relation`). */
export function inheritingProps(kind: LinkedKind): PropDef[] {
  return kind.props.filter(
    (prop) => prop.relation?.type === 'parent' && kind.owner.includes(`^${prop.relation.name}`),
  );
}
