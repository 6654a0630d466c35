import { StartupError } from '../../common/startup-error.js';
import { VERSION_NAME } from '../../common/api-path.js';
import { viewersOf } from '../access/access.js';
import { foldedLength } from './formats.js';
import { Ids } from '../ids/ids.js';
import type { KindDef } from './kind-def.js';
import { columnOf, type PropDef } from './prop.js';
import { PROP_TYPES } from './prop-types.js';
import { RESERVED_PROP_NAMES } from './reserved-names.js';
import { foldedColumn, oneForm } from './texts.js';

const PROP_NAME = /^[a-z][A-Za-z0-9]{0,26}$/;
/** Tables that do not belong to kinds: data about the installation, and TypeORM's list of migrations. */
const RESERVED_PATHS = new Set(['installation', 'migrations']);
/** The size limit of a row of a PostgreSQL b-tree, less room for its header and the other columns. */
const MAX_INDEX_BYTES = 2600;
/** The base props, which only the engine declares. */
const BASE_NAMES = new Set(['id', 'createdAt', 'updatedAt']);

/**
 * Checks what concerns one kind alone. References to other kinds are checked when they are linked.
 * @throws StartupError with a sentence that names kind, prop and the fix.
 */
export function checkKind(def: KindDef): void {
  const fail = (fix: string) => {
    throw new StartupError(`Kind ${def.kind}: ${fix}`);
  };
  if (!/^[A-Z][A-Za-z0-9]{0,39}$/.test(def.kind))
    fail('its name must be letters and digits, beginning with a capital.');
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(def.path)) {
    fail(`path "${def.path}" must be lower-case letters, digits and "-", at most 32.`);
  }
  if (RESERVED_PATHS.has(def.path))
    fail(`path "${def.path}" is the name of a table of the service; choose another.`);
  checkLists(def, fail);
  const names = new Set<string>();
  for (const prop of def.props) {
    if (names.has(prop.name)) fail(`prop ${prop.name} is declared twice.`);
    names.add(prop.name);
    if (prop.column !== undefined && !def.storedAs)
      fail(`prop ${prop.name}: column is for later versions of a kind (@KindVersion).`);
  }
  if (def.version !== undefined && !VERSION_NAME.test(def.version))
    fail(`version "${def.version}" must be v and a number, like v2.`);
  if (def.maxPerUser !== null && !(Number.isSafeInteger(def.maxPerUser) && def.maxPerUser >= 0))
    fail('maxPerUser must be a whole number; 0 is no limit.');
  for (const prop of def.props) checkProp(def, prop, (fix) => fail(`prop ${prop.name}: ${fix}`));
  for (const who of [...def.view, ...def.create, ...def.write]) checkWho(who, fail);
  if (def.create.includes('owner') && def.owner.every((entry) => !/^[$^]/.test(entry))) {
    fail('create lists "owner", but nobody can become one: add a "$prop" or "^relation" to owner.');
  }
}

/** Access has no defaults: a forgotten line would publish a table. The types require it too. */
const FIXES = {
  owner: 'say who owns its records: owner: ["$userId"], a role, "^relation", or [] for nobody.',
  view: 'say who may see its records: view: ["public"], ["owner"], roles, or [] for nobody.',
  create:
    'say who may create records: create: ["owner"] for whoever is logged in, ["public"], roles, or [] for nobody.',
} as const;

function checkLists(def: KindDef, fail: (fix: string) => void): void {
  for (const where of ['owner', 'view', 'create'] as const) {
    const list: unknown = def[where];
    if (list === undefined) fail(FIXES[where]);
    if (!Array.isArray(list)) fail(`${where} must be a list; [] is nobody.`);
  }
  for (const [where, list] of [['write', def.write], ...Object.entries(def.groups)] as [string, unknown][])
    if (!Array.isArray(list)) fail(`${where} must be a list; [] is nobody.`);
}

function checkProp(def: KindDef, prop: PropDef, fail: (fix: string) => void): void {
  if (!PROP_NAME.test(prop.name)) fail('a prop name is a small letter, then letters and digits, at most 27.');
  const isOurs = BASE_NAMES.has(prop.name) && def.props.indexOf(prop) < BASE_NAMES.size;
  if (RESERVED_PROP_NAMES.has(prop.name) && !isOurs)
    fail('the name is taken by the API or by JavaScript; choose another.');
  checkFoldedName(def, prop, fail);
  if (!Array.isArray(prop.view) || !Array.isArray(prop.edit)) {
    fail('say who may see it (view) and who may set it (edit); [] is nobody.');
  }
  for (const who of [...prop.view, ...prop.edit]) checkWho(who, fail);
  if (prop.renamedFrom !== undefined) checkFormerName(def, prop, fail);
  if (prop.type === 'string') checkString(prop, fail);
  if (prop.type === 'enum' || prop.type === 'boolean') checkEnums(prop, fail);
  if (prop.filterQuery && !['enum', 'string'].includes(prop.type))
    fail('filterQuery is for string and enum props.');
  if (prop.filterQualifier && !['id', 'int', 'boolean', 'enum', 'string', 'date'].includes(prop.type)) {
    fail('filterQualifier is not for json and virtual props.');
  }
  if (prop.filterRange && !['int', 'date'].includes(prop.type))
    fail('filterRange is for int and date props.');
  if (prop.updateOnly && (prop.required || prop.createOnly))
    fail('an updateOnly prop is not there yet when a record is created: it can’t be required or createOnly.');
  checkFilters(prop, fail);
  if (prop.autoUpdate && prop.type !== 'date') fail('autoUpdate is for date props.');
  if (prop.allowRealPubicId && prop.type !== 'id') fail('allowRealPubicId is for id props.');
  if (prop.uniqueQualifiers && !prop.unique) fail('uniqueQualifiers needs unique: true.');
  for (const name of prop.uniqueQualifiers ?? []) {
    const qualifier = def.props.find((other) => other.name === name);
    // Two nulls are never equal in a unique index, so an optional qualifier would let duplicates in.
    if (!qualifier?.required)
      fail(`uniqueQualifiers names ${name}, which must be a required prop of the kind.`);
  }
  if (prop.uniqueCaseInsensitive && !(prop.unique && prop.type === 'string')) {
    fail('uniqueCaseInsensitive is for unique string props.');
  }
  if (prop.relation?.type === 'parent' && prop.relation.onDelete === 'null' && prop.required) {
    fail('onDelete "null" needs an optional prop: drop required or choose cascade or restrict.');
  }
  if (prop.min !== undefined && prop.max !== undefined && prop.min > prop.max) fail('min is above max.');
  if (
    typeof prop.default === 'number' &&
    (prop.default < (prop.min ?? -Infinity) || prop.default > (prop.max ?? Infinity))
  ) {
    fail('the default is not within min and max.');
  }
  if (prop.example !== undefined) checkExample(prop, fail);
  if (prop.unique && indexBytes(def, prop) > MAX_INDEX_BYTES) {
    fail('the unique texts together are too long for an index: shorten length here or in uniqueQualifiers.');
  }
}

/** Refuses filters that nobody could use. Each costs an index or a parameter. */
function checkFilters(prop: PropDef, fail: (fix: string) => void): void {
  if (viewersOf(prop).length) return;
  const used = (['filterQuery', 'filterQualifier', 'filterRange'] as const).find((filter) => prop[filter]);
  // A relation is a qualifier by default, so that does not show an intention.
  if (used === undefined || (used === 'filterQualifier' && prop.relation)) return;
  fail(`${used} is for props that somebody may see: name who in view, or take ${used} out.`);
}

/** The column of a unique text's folded form must be free. */
function checkFoldedName(def: KindDef, prop: PropDef, fail: (fix: string) => void): void {
  const twin = def.props.find(
    (other) => other.uniqueCaseInsensitive && foldedColumn(columnOf(other)) === columnOf(prop),
  );
  if (twin) fail(`the name is that of the folded form of ${twin.name}; choose another.`);
}

function checkFormerName(def: KindDef, prop: PropDef, fail: (fix: string) => void): void {
  if (!PROP_NAME.test(prop.renamedFrom ?? '')) fail('renamedFrom must be the name of a prop.');
  if (def.props.some((other) => other.name === prop.renamedFrom)) {
    fail(`renamedFrom names ${prop.renamedFrom}, which is still a prop of the kind.`);
  }
  if (def.props.some((other) => other !== prop && other.renamedFrom === prop.renamedFrom)) {
    fail(`renamedFrom names ${prop.renamedFrom}, as another prop does; one of them alone can be it.`);
  }
}

/** The maximum bytes of the values of a unique rule, at four per character. */
function indexBytes(def: KindDef, prop: PropDef): number {
  const lengthOf = (one: PropDef | undefined) =>
    one?.uniqueCaseInsensitive ? foldedLength(one.length ?? 0) : (one?.length ?? 0);
  const all = [
    prop,
    ...(prop.uniqueQualifiers ?? []).map((name) => def.props.find((other) => other.name === name)),
  ];
  return all.reduce((sum, one) => sum + 4 * lengthOf(one), 0);
}

function checkString(prop: PropDef, fail: (fix: string) => void): void {
  if (!Number.isInteger(prop.length) || (prop.length ?? 0) < 1 || (prop.length ?? 0) > 16777215) {
    fail('a string needs a length from 1 to 16777215.');
  }
  if (prop.unique && (prop.length ?? 0) > 256) fail('only strings of at most 256 characters can be unique.');
  if (
    prop.writeOnly &&
    (prop.view.length || prop.unique || prop.filterQuery || prop.filterQualifier || prop.options)
  ) {
    fail('a writeOnly prop is never stored: it can’t be viewed, unique, filtered or have options.');
  }
  if (typeof prop.default === 'string' && prop.default.length > (prop.length ?? 0))
    fail('the default is longer than length.');
}

function checkEnums(prop: PropDef, fail: (fix: string) => void): void {
  if (prop.options) return;
  const values = prop.enums ?? [];
  if (!values.length || values.length !== prop.enumLabels?.length) {
    fail('enums and enumLabels must be there, equally long and in the same order.');
  }
  if (new Set(values.map(String)).size !== values.length) fail('enums holds a value twice.');
  if (values.some((value) => oneForm(String(value)) !== String(value)))
    fail('enums must hold its texts in Unicode form NFC, in which bodies are taken.');
  if (values.some((value) => String(value).length > 256)) fail('an enum value has at most 256 characters.');
  if (prop.default !== undefined && !values.includes(prop.default as string | boolean)) {
    fail(`the default "${String(prop.default)}" is not among enums.`);
  }
}

/** Checks the example by the rules of the type. Only props that need no lookup have one. */
function checkExample(prop: PropDef, fail: (fix: string) => void): void {
  try {
    PROP_TYPES[prop.type].parse(prop.example, prop, new Ids(''));
  } catch (error) {
    fail(`the example can’t be posted: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function checkWho(who: string, fail: (fix: string) => void): void {
  if (!/^[a-z][A-Za-z0-9]*$/.test(who))
    fail(`"${who}" is no entry of an access list: use public, owner or a role.`);
}
