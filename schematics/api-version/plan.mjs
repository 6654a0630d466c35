import { Mistake } from '../lib/mistake.mjs';
import { listed } from '../lib/names.mjs';
import { classesOf, modulesOf, partsOf } from './sources.mjs';

/**
 * Works out the version that was asked for: a class for each one that the version before is made of, and their module.
 * @param {unknown} asked the number
 * @param {import('../lib/project.mjs').Project} project
 * @throws Mistake
 */
export function planVersion(asked, project) {
  const number = numberOf(asked);
  const [version, before] = [`v${number}`, `v${number - 1}`];
  const newest = project.newestVersion;
  if (number <= newest) throw new Mistake(`Version ${number} is there already: ${versionFolder(number)}.`);
  if (number > newest + 1)
    throw new Mistake(
      `Version ${number} would skip one: the newest is ${newest}, so the next is ${newest + 1}.`,
    );
  if (project.has(versionFolder(number)))
    throw new Mistake(
      `${versionFolder(number)} is there already, and nothing is overwritten: move it away first.`,
    );
  const classes = classesOf(project);
  const parts = partsOf(classes).filter((part) => part.version === before);
  if (!parts.some((part) => part.role === 'entity'))
    throw new Mistake(`Nothing in src/ belongs to ${before}: bring its kinds back first.`);
  checkServices(parts);
  const heirs = parts.map((part) => heirOf(part, number, parts));
  checkNames(heirs, classes);
  return {
    number,
    version,
    folder: versionFolder(number),
    records: recordsOf(number),
    kinds: kindsListOf(number),
    module: moduleOf(number),
    heirs,
    modules: sharedModules(heirs, modulesOf(classes), number),
  };
}

export const versionFolder = (number) => `src/versions/v${number}`;
export const recordsOf = (number) => `V${number}_RECORDS`;
export const kindsListOf = (number) => `V${number}_KINDS`;
export const moduleOf = (number) => `V${number}Module`;

function numberOf(asked) {
  const text = String(asked ?? '').trim();
  if (!/^[1-9]\d{0,3}$/.test(text) || Number(text) < 2)
    throw new Mistake(`"${text}" is no number of a new version: take a whole number from 2, such as 2.`);
  return Number(text);
}

/** The class of the new version for one of the version before. */
function heirOf(part, number, parts) {
  const name = `${part.name.replace(/V\d+$/, '')}V${number}`;
  const place = part.file.replace(/^src\/(?:versions\/v\d+\/|kinds\/)?/, '');
  const entity = parts.find((one) => one.role === 'entity' && one.name === part.entity);
  return {
    ...part,
    base: part.name,
    baseFile: part.file,
    name,
    entity,
    file: `${versionFolder(number)}/${place}`,
  };
}

/** A kind whose service is not found would be without one in the new version, which then would not start. */
function checkServices(parts) {
  const served = new Set(parts.filter((part) => part.role === 'service').map((part) => part.entity));
  const lone = parts.find((part) => part.role === 'entity' && !served.has(part.root));
  if (lone)
    throw new Mistake(
      `${lone.file}: no service of ${lone.name} was found: let its constructor call super(engine, ${lone.root}), and export the classes between it and RecordService.`,
    );
}

function checkNames(heirs, classes) {
  const names = new Set(classes.map((one) => one.name));
  for (const { name, base, baseFile, file } of heirs) {
    if (names.has(name))
      throw new Mistake(`${base} of ${baseFile} would become ${name}, and there is one: rename one of them.`);
    names.add(name);
    const twin = heirs.find((one) => one.file === file && one.name !== name);
    if (twin)
      throw new Mistake(`${baseFile} holds both ${twin.base} and ${base}: give each a file of its own.`);
  }
}

/** The modules whose providers the services and controllers ask for: those that export some, and what these import. */
function sharedModules(heirs, modules, number) {
  const bases = new Set(heirs.flatMap(({ base, root }) => [base, root]));
  const hosts = modules.filter(({ members }) => members.some((one) => bases.has(one)));
  // The module of the version before has its classes as providers under other names.
  const former = modules.filter(({ name }) => name === moduleOf(number - 1));
  const all = [...hosts, ...former].flatMap(({ name, file, isShared, imports }) => [
    ...(isShared ? [{ name, file }] : []),
    ...imports.filter((one) => one.file !== undefined && !/^V\d+_RECORDS$/.test(one.name)),
  ]);
  const unique = new Map(all.map((one) => [one.name, one]));
  const sorted = [...unique.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, file } of sorted) {
    if (file === undefined)
      throw new Mistake(`${name} is imported from nowhere: fix ${listed(hosts.map((one) => one.file))}.`);
  }
  return sorted;
}
