import { join } from 'node:path';
import { loadSource } from '../lib/load-source.mjs';
import { Mistake } from '../lib/mistake.mjs';
import { kebab, listed, pascal, plural } from '../lib/names.mjs';
import { checkAttach, checkSources, groupsAround, planMembership, readGroups } from './groups.mjs';
import { readProps } from './prop-language.mjs';

/** Names that stand for something else in the generated files or in what the compiler makes of them. */
const TAKEN = new Set(
  (
    'Kind Prop Module Injectable RecordEntity RecordEngine Record ' +
    'Object Function String Number Boolean Symbol BigInt Date Array Promise'
  ).split(' '),
);

/** What the kinds of Kindred's own tests and benchmarks are called, and no other kind: theirs are in one service. */
const OF_TESTS = { kind: /^Dummy[A-Z]/, path: /^dummy[a-z]/ };

/**
 * Works out the kind that was asked for and refuses what can't become one.
 * @param {object} options as in schema.json
 * @param {import('../lib/project.mjs').Project} project
 * @throws Mistake
 */
export function planKind(options, project) {
  const names = namesOf(options);
  const known = { formats: formatsOf(project), reserved: reservedOf(project) };
  const membership = options.membership === undefined ? null : planMembership(options, names.name, project);
  const props = withOwnLists(
    [...(membership?.props ?? []), ...readProps(options.props ?? '', known)],
    names.name,
  );
  const groups = { ...membership?.def.groups, ...readGroups(options.groups, project) };
  const groupsOf = groupsAround(names.name, { groups, membership }, project);
  checkSources(groups, { props, groupsOf }, project);
  const owners = options.owner ?? membership?.owner ?? 'user,admin';
  const owner = words(owners, 'owner').map((word) => ownerEntry(word, { props, groups }, project));
  if (owner.includes('$userId') && !props.some((prop) => prop.name === 'userId'))
    props.push(userProp(options));
  const view = words(options.view ?? membership?.view ?? 'owner', 'view');
  const create =
    options.create === undefined && !membership
      ? defaultCreate(owner)
      : words(options.create ?? membership.create, 'create');
  const write = options.write ?? membership?.write;
  const def = {
    kind: names.name,
    path: names.path,
    ...(project.newestVersion > 1 && { version: `v${project.newestVersion}` }),
    ...(membership && { membership: membership.def.membership }),
    owner,
    ...(Object.keys(groups).length && { groups }),
    view,
    create,
    ...(write !== undefined && { write: words(write, 'write') }),
    readOnly: false,
    maxPerUser: null,
    generic: true,
    props,
  };
  checkNames(names, project);
  checkRelations(def, project);
  checkAttach(def, groupsOf, project);
  checkRoles(def, project);
  checkByEngine(def, project);
  const opening = membership && { opened: membership.opened, opening: membership.opening };
  return { ...names, def, groupsOf, ...opening };
}

function namesOf({ name, path }) {
  const parts = String(name).split('/').map(kebab);
  if (parts.some((part) => !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(part))) {
    throw new Mistake(
      `Name "${name}": take letters, digits and "-", beginning with a letter; folders end in "/".`,
    );
  }
  const file = parts.at(-1);
  return {
    name: pascal(file),
    file,
    path: path === undefined ? plural(file.replaceAll('-', '')) : String(path),
    folder: ['kinds', ...parts].join('/'),
    up: [...parts, ''].map(() => '..').join('/'),
  };
}

function checkNames({ name, path, file, folder }, project) {
  if (TAKEN.has(name))
    throw new Mistake(`Kind ${name}: the name is taken by the language or the engine; choose another.`);
  if (OF_TESTS.kind.test(name) || OF_TESTS.path.test(path))
    throw new Mistake(
      `Kind ${name}: names and paths that begin with "Dummy" are for the kinds of the tests; choose another.`,
    );
  const twin = project.kinds.find(
    (one) => one.kind.toLowerCase() === name.toLowerCase() || one.className === name,
  );
  if (twin) throw new Mistake(`Kind ${name}: ${twin.file} declares a kind of that name; choose another.`);
  checkSchemaNames(name, project);
  const several = project.kinds.find((one) => one.path === file.replaceAll('-', ''));
  if (several)
    throw new Mistake(`Kind ${name}: that is the plural of ${several.kind}; a kind has a singular name.`);
  const sharing = project.kinds.find((one) => one.path === path)?.file ?? project.controllerPaths.get(path);
  if (sharing)
    throw new Mistake(`Kind ${name}: the path "${path}" is taken by ${sharing}; choose another with --path.`);
  const target = `src/${folder}/${file}`;
  const inTheWay = ['entity', 'service', 'controller', 'module'].map((part) => `${target}.${part}.ts`);
  const existing = inTheWay.find((one) => project.has(one));
  if (existing)
    throw new Mistake(`${existing} is there already, and nothing is overwritten: move it away first.`);
}

/** Schemas of the API's description are called `Kind.Suffix`; generators of clients write that in one word. */
const SCHEMAS = ['Create', 'Created', 'List', 'Options', 'Record', 'Related', 'Update'];

function checkSchemaNames(name, project) {
  for (const one of project.kindNames) {
    const [longer, shorter] = one.length > name.length ? [one, name] : [name, one];
    const suffix = SCHEMAS.find((word) => longer.toLowerCase() === `${shorter}${word}`.toLowerCase());
    if (!suffix) continue;
    throw new Mistake(
      `Kind ${name}: ${longer} is what generated clients call the schema ${shorter}.${suffix}; choose another name.`,
    );
  }
}

/** Names that no prop may have: JavaScript reads them, and where the engine lists more, the protocol. */
function reservedOf(project) {
  const file = 'src/record/schema/reserved-names.ts';
  const more = project.has(file) ? loadSource(join(project.root, file)).RESERVED_PROP_NAMES : [];
  return new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'toJSON', ...more]);
}

/** The name of a format on the command line → the constant of formats.ts that it is. */
function formatsOf(project) {
  const formats = loadSource(join(project.root, 'src/record/schema/formats.ts'));
  const constants = Object.keys(formats).filter((name) => typeof formats[name]?.rule === 'string');
  return Object.fromEntries(constants.map((name) => [name.toLowerCase().replace(/_format$/, ''), name]));
}

function ownerEntry(word, { props, groups }, project) {
  if (word === 'user') return '$userId';
  if (word.startsWith('$')) return word;
  if (word.startsWith('^')) {
    const parents = props
      .filter((prop) => prop.relation?.type === 'parent')
      .map((prop) => prop.relation.name);
    if (parents.includes(word.slice(1))) return word;
    const known = parents.length ? `, parents are ${listed(parents)}` : '';
    throw new Mistake(`owner: ${word} needs a prop ${word.slice(1)}:parent(Kind)${known}.`);
  }
  if (project.roles.includes(word) || Object.hasOwn(groups, word)) return word;
  throw new Mistake(`owner: "${word}" is neither user, ^relation nor a role (${listed(project.roles)}).`);
}

/** Who made the record; seen by whoever sees its rows. */
function userProp({ view }) {
  const seen = words(view ?? 'owner', 'view').includes('public') ? ['public'] : ['owner'];
  const relation = { type: 'parent', name: 'user', kind: 'User', onDelete: 'cascade' };
  return {
    type: 'id',
    name: 'userId',
    idOf: 'User',
    required: true,
    view: seen,
    edit: [],
    filterQualifier: true,
    relation,
  };
}

/** A child list that a kind asks for on itself is a prop of its own. */
function withOwnLists(props, kind) {
  return props.flatMap(({ list, ...prop }) => {
    if (list === undefined) return [prop];
    if (prop.relation.kind !== kind) return [{ ...prop, list }];
    const relation = { type: 'child', name: list, kind, via: prop.name };
    return [prop, { type: 'virtual', name: list, view: prop.view, edit: [], relation }];
  });
}

function defaultCreate(owner) {
  return owner.some((entry) => /^[$^]/.test(entry)) ? ['owner'] : owner;
}

function words(text, what) {
  const list = String(text)
    .split(',')
    .map((word) => word.trim());
  if (list.includes('')) throw new Mistake(`${what}: "${text}" has an empty place between its commas.`);
  const wrong = list.find((word) => !/^[$^]?[a-z][A-Za-z0-9]*$/.test(word));
  if (wrong !== undefined) throw new Mistake(`${what}: "${wrong}" is no word of an access list.`);
  return list;
}

function checkRelations({ kind, owner, props }, project) {
  const taken = new Set(['base', 'self']);
  for (const { name, relation, list } of props.filter((prop) => prop.relation)) {
    const fail = (fix) => {
      throw new Mistake(`Prop ${name}: ${fix}`);
    };
    if (taken.has(relation.name.toLowerCase()))
      fail(`the relation name ${relation.name} is taken; choose another.`);
    taken.add(relation.name.toLowerCase());
    const target = project.newest(relation.kind);
    if (relation.kind !== kind && !target) {
      fail(`there is no kind ${relation.kind}; there are ${listed([...project.kindNames, kind])}.`);
    }
    if (relation.type === 'child') checkChildren(relation, { kind, props }, fail);
    if (list !== undefined) checkList(list, target, fail);
    if (relation.acceptedFileExtensions) checkFiles(relation, project, fail);
    const owning = owner.includes(`^${relation.name}`) || owner.includes(`$${name}`);
    if (owner.includes(`^${relation.name}`) && relation.kind === kind) {
      fail('a kind can’t be owned through itself; take it out of owner.');
    }
    if (owning && relation.skipOwnerCheck) fail('it decides who owns the record, so it can’t be "any".');
  }
  for (const entry of owner.filter((word) => word.startsWith('$'))) {
    const prop = props.find((one) => one.name === entry.slice(1));
    if (prop?.relation?.kind === 'User') continue;
    throw new Mistake(`owner: ${entry} needs a prop ${entry.slice(1).replace(/Id$/, '')}:parent(User).`);
  }
}

/** Only a new kind can point to a new kind: the lists of other kinds are asked for at their parent prop. */
function checkChildren({ kind: target, via }, { kind, props }, fail) {
  if (target !== kind) {
    const parent = kind[0].toLowerCase() + kind.slice(1);
    fail(`generate ${target} after ${kind} and write ${parent}:parent(${kind}):list(…) there.`);
  }
  const ways = props.filter((prop) => prop.relation?.type === 'parent' && prop.relation.kind === kind);
  const found = ways.filter((prop) => via === undefined || prop.name === via || prop.relation.name === via);
  if (found.length === 1) return;
  fail(
    ways.length > 1
      ? `say which prop points here with via(…).`
      : `the kind needs a prop such as parent:parent(${kind}).`,
  );
}

function checkList(list, target, fail) {
  if (!/^[a-z][A-Za-z0-9]{0,26}$/.test(list))
    fail(`the list "${list}" must be a small letter, then letters and digits.`);
  const names = [...target.relations, ...target.members, 'base', 'self', 'id', 'createdAt', 'updatedAt'];
  if (names.some((name) => name.toLowerCase() === list.toLowerCase()))
    fail(`the list name ${list} is taken there; choose another.`);
}

function checkFiles({ kind, acceptedFileExtensions }, project, fail) {
  if (kind !== 'ObjectFile') fail('files(…) is for parent(ObjectFile).');
  const { FILE_TYPES } = loadSource(join(project.root, 'src/files/file-types.ts'));
  const wrong = acceptedFileExtensions.find((extension) => !FILE_TYPES.has(extension));
  if (wrong !== undefined)
    fail(`files of extension "${wrong}" can’t be uploaded; see file-types.ts for those that can.`);
}

function checkRoles({ view, create, write = [], groups = {}, props }, project) {
  const known = ['public', 'owner', ...project.roles, ...Object.keys(groups)];
  const check = (list, what) => {
    const wrong = list.find((word) => !known.includes(word));
    if (wrong !== undefined) throw new Mistake(`${what}: "${wrong}" is not one of ${listed(known)}.`);
  };
  if (!view.length) throw new Mistake('view: say who may see the records: public, owner or roles.');
  check(view, 'view');
  check(create, 'create');
  check(write, 'write');
  for (const prop of props) check([...prop.view, ...prop.edit], `Prop ${prop.name}`);
}

/** What a start would refuse is refused here, in the same words. */
function checkByEngine(def, project) {
  const { checkKind } = loadSource(join(project.root, 'src/record/schema/kind-checks.ts'));
  try {
    checkKind({ groups: {}, write: ['owner'], membership: null, ...def });
  } catch (error) {
    if (error?.name !== 'StartupError') throw error;
    throw new Mistake(error.message);
  }
}
