import { apply, applyTemplates, chain, mergeWith, move, url } from '@angular-devkit/schematics';
import { addAccessWords, addKindAttribute, addProp, addToList, importPath } from '../lib/edit.mjs';
import { formatted } from '../lib/format.mjs';
import { listed } from '../lib/names.mjs';
import { Project } from '../lib/project.mjs';
import { kindsListOf, recordsOf, versionFolder } from '../api-version/plan.mjs';
import { planKind } from './plan.mjs';
import { printObject, printProp } from './print.mjs';

const APP_MODULE = 'src/app.module.ts';
const KIND_ATTRIBUTES = [
  'kind',
  'path',
  'version',
  'membership',
  'owner',
  'groups',
  'view',
  'create',
  'write',
];

/** `nest g kind`: entity, service, controller and module, and the lines elsewhere that a new kind needs. */
export function kind(options) {
  return () => {
    const project = new Project(process.cwd());
    const plan = planKind(options, project);
    const files = apply(url('./files'), [
      applyTemplates(templateValues(plan, project)),
      move(`src/${plan.folder}`),
    ]);
    const edits = new Map([listKind(project, plan), ...listsOfParents(project, plan)]);
    const byHand = plan.opened ? openToMembers(project, plan, edits) : [];
    const write = (tree) => edits.forEach((text, file) => tree.overwrite(file, text));
    const tell = (_, { logger }) => byHand.forEach((line) => logger.warn(line));
    return chain([mergeWith(files), write, formatted(), tell]);
  };
}

function templateValues({ name, file, path, up, def }, project) {
  const formats = def.props.flatMap((prop) => prop.format?.constant ?? []);
  return {
    name,
    file,
    path,
    up,
    formats: [...new Set(formats)].sort(),
    version: def.version,
    records: def.version && recordsOf(project.newestVersion),
    kind: printObject(def, KIND_ATTRIBUTES),
    props: def.props.map(printProp),
    sentence: sentence(def),
  };
}

/** Says who owns a record, for the class's comment. */
function sentence({ owner }) {
  const owners = owner.map((entry) => {
    if (entry === '$userId') return 'the user who made it';
    if (entry.startsWith('$')) return `the user in ${entry.slice(1)}`;
    return entry.startsWith('^') ? `whoever owns its ${entry.slice(1)}` : `the role ${entry}`;
  });
  return `Owned by ${listed(owners)}.`;
}

/** A new kind belongs to the newest version of the API; those before stay as they are. */
function listKind(project, { name, folder, file, def }) {
  const number = project.newestVersion;
  const target = def.version ? `${versionFolder(number)}/${def.version}.module.ts` : APP_MODULE;
  const module = importPath(target, `src/${folder}/${file}.module.ts`);
  const list = def.version ? kindsListOf(number) : 'KINDS';
  return [target, addToList(project.text(target), { file: target, list, name: `${name}Module`, module })];
}

/**
 * The kind that memberships open gets their groups, shows itself to members, and lets the last role change it.
 * @returns {string[]} lines that say what is left to do by hand
 */
function openToMembers(project, { def: { kind }, opened, opening }, edits) {
  const { file, className } = opened;
  const { groups, view, write } = opening;
  const value = printObject(groups, Object.keys(groups));
  const original = edits.get(file) ?? project.text(file);
  let text = addKindAttribute(original, { file, className, name: 'groups', value, kind });
  const byHand = [];
  for (const [name, words, missing] of [
    ['view', view],
    ['write', write, ['owner']],
  ]) {
    if (!words.length) continue;
    const changed = addAccessWords(text, { file, className, name, words, missing, kind });
    if (changed === null)
      byHand.push(
        `Add ${listed(words)} to ${name} of ${className} in ${file} by hand, if they shall have it.`,
      );
    text = changed ?? text;
  }
  edits.set(file, text);
  return byHand;
}

/** Those of the words in a prop's `view` that another kind knows as well; the others are groups of this kind alone. */
function viewThere(view, kind, { groupsOf }, project) {
  const known = ['public', 'owner', ...project.roles, ...(groupsOf(kind) ?? [])];
  const kept = view.filter((word) => known.includes(word));
  return view.length && !kept.length ? ['owner'] : kept;
}

/** The entities of other kinds that get a child list (`list(…)`). */
function listsOfParents(project, plan) {
  const { name, def } = plan;
  const edits = new Map();
  const wanted = def.props.filter((prop) => prop.list !== undefined && prop.relation.kind !== name);
  for (const { list, relation, name: via, view } of wanted) {
    const target = project.newest(relation.kind);
    const several = def.props.filter((prop) => prop.relation?.kind === relation.kind).length > 1;
    const child = { type: 'child', name: list, kind: name, ...(several && { via }) };
    const seen = viewThere(view, relation.kind, plan, project);
    const { decorator, property } = printProp({ type: 'virtual', name: list, view: seen, relation: child });
    const text = edits.get(target.file) ?? project.text(target.file);
    edits.set(target.file, addProp(text, { ...target, member: `${decorator}\n${property}` }));
  }
  return edits;
}
