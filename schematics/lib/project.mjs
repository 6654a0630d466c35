import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';
import { Mistake } from './mistake.mjs';

/**
 * What a project has already, read from its sources without running them.
 * @typedef {object} KindSource
 * @property {string} kind
 * @property {string} path
 * @property {string} className
 * @property {string} version of the API, which it came with
 * @property {string} file relative to the root, with slashes
 * @property {string[]} members names of the class's properties
 * @property {string[]} relations names of its relations
 * @property {string[]} booleans names of its boolean props
 * @property {string[] | null} groups names of its groups; null when the declaration does not spell them out
 *
 * A kind as a later version of the API has it; `base` is the class that it extends.
 * @typedef {Pick<KindSource, 'className' | 'file' | 'version' | 'members' | 'relations'> & {base: string}} KindVersionSource
 */

/** The project around a folder: its kinds, those of its tests, and the paths that controllers have taken. */
export class Project {
  /** @param {string} root absolute */
  constructor(root) {
    if (!existsSync(join(root, 'src', 'record', 'schema', 'kind.ts'))) {
      throw new Mistake(`${root} is no Kindred project: run this in the folder that holds src/.`);
    }
    this.root = root;
    /** @type {KindSource[]} */
    this.kinds = [];
    /** @type {Map<string, string>} path segment → file whose controller has it */
    this.controllerPaths = new Map();
    /** @type {KindVersionSource[]} */
    this.kindVersions = [];
    for (const file of [...this.sources('src'), ...this.sources('test')]) this.#read(file);
  }

  /** The files of a folder, relative to the root. */
  sources(folder) {
    return sources(this.root, folder);
  }

  /** The number of the newest version of the API. */
  get newestVersion() {
    const folder = join(this.root, 'src', 'versions');
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return Math.max(1, ...names.flatMap((name) => /^v([1-9]\d*)$/.exec(name)?.[1] ?? []).map(Number));
  }

  /** Names of the kinds that a relation can lead to. */
  get kindNames() {
    const names = this.kinds.filter((one) => one.file.startsWith('src/')).map((one) => one.kind);
    return names.filter((name) => this.newest(name) !== undefined);
  }

  /** @returns {KindSource | undefined} */
  kind(name) {
    return this.kinds.find((one) => one.kind === name && one.file.startsWith('src/'));
  }

  /**
   * A kind as the newest version of the API has it: the class to change.
   * @returns {KindSource | undefined}
   */
  newest(name) {
    const kind = this.kind(name);
    const newest = this.newestVersion;
    let found = kind;
    for (let above = kind; above; found = above ?? found) {
      above = this.kindVersions.find((one) => one.base === found.className);
      if (above) above = { ...found, ...above, ...joined(found, above) };
    }
    return found && found.version === `v${newest}` ? found : undefined;
  }

  /** The roles of the service: the boolean props of User. */
  get roles() {
    return this.kind('User')?.booleans ?? [];
  }

  has(file) {
    return existsSync(join(this.root, file));
  }

  /** The text of a source file. */
  text(file) {
    if (!this.has(file))
      throw new Mistake(`${file} is missing, where the new kind would be listed: bring it back.`);
    return readFileSync(join(this.root, file), 'utf8');
  }

  #read(file) {
    const text = this.text(file);
    if (!/@(Kind|KindVersion|Controller)\(/.test(text)) return;
    const source = parse(file, text);
    for (const node of source.statements.filter(ts.isClassDeclaration)) {
      const kind = decoratorArgument(node, 'Kind');
      if (kind && ts.isObjectLiteralExpression(kind)) this.kinds.push(kindOf(node, kind, file));
      const version = decoratorArgument(node, 'KindVersion');
      if (version && file.startsWith('src/')) this.kindVersions.push(kindVersionOf(node, version, file));
      const argument = decoratorArgument(node, 'Controller');
      const path =
        argument && ts.isObjectLiteralExpression(argument) ? literal(argument, 'path') : argument?.text;
      if (path && !this.controllerPaths.has(path)) this.controllerPaths.set(path, file);
    }
  }
}

/** A syntax tree with parents. @throws Mistake when the file does not parse */
export function parse(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  if (source.parseDiagnostics.length) throw new Mistake(`${file} has a syntax error: fix it first.`);
  return source;
}

/** The class of a source that declares a kind. */
export function kindClass(source, className) {
  return source.statements.find((node) => ts.isClassDeclaration(node) && node.name?.text === className);
}

function sources(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && /(?<!\.d)\.ts$/.test(entry.name) && !/spec(-support)?\.ts$/.test(entry.name),
    )
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** The members of a class and of the one that it extends. */
function joined(below, above) {
  return {
    members: [...below.members, ...above.members],
    relations: [...below.relations, ...above.relations],
  };
}

function kindVersionOf(node, version, file) {
  const [type] = node.heritageClauses?.[0]?.types ?? [];
  return { ...membersOf(node), version: version.text ?? '', base: type?.expression.getText(), file };
}

function kindOf(node, options, file) {
  return {
    ...membersOf(node),
    kind: literal(options, 'kind'),
    path: literal(options, 'path'),
    version: literal(options, 'version') || 'v1',
    groups: groupsIn(options),
    file,
  };
}

/** The names in `groups` of a declaration; null when they, or `groups` itself, may come from elsewhere. */
function groupsIn(options) {
  if (!options.properties.every(isPlain)) return null;
  const member = options.properties.find((one) => nameOf(one) === 'groups');
  if (!member) return [];
  const groups = member.initializer;
  if (!groups || !ts.isObjectLiteralExpression(groups) || !groups.properties.every(isPlain)) return null;
  return groups.properties.map(nameOf);
}

const isPlain = (member) => member.name !== undefined && !ts.isComputedPropertyName(member.name);

const nameOf = (member) => member.name.text;

function membersOf(node) {
  const props = node.members.filter(ts.isPropertyDeclaration).map((member) => ({
    name: member.name.getText(),
    call: propCall(member),
  }));
  return {
    className: node.name?.text ?? '',
    members: props.map((prop) => prop.name),
    relations: props.flatMap(({ call }) => (/^(parent|children)$/.test(call?.type ?? '') ? [call.name] : [])),
    booleans: props.filter(({ call }) => call?.type === 'boolean').map((prop) => prop.name),
  };
}

/** `@Prop.parent({ name: 'user', … })` as its type and the name of its relation. */
function propCall(member) {
  for (const { expression } of ts.getDecorators(member) ?? []) {
    if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) continue;
    if (expression.expression.expression.getText() !== 'Prop') continue;
    const [options] = expression.arguments;
    const name = options && ts.isObjectLiteralExpression(options) ? literal(options, 'name') : '';
    return { type: expression.expression.name.text, name };
  }
  return undefined;
}

/** The first argument of a class's decorator; undefined when it has none of that name. */
export function decoratorArgument(node, name) {
  for (const { expression } of ts.getDecorators(node) ?? []) {
    if (ts.isCallExpression(expression) && expression.expression.getText() === name)
      return expression.arguments[0];
  }
  return undefined;
}

function literal(object, name) {
  const member = object.properties.find((one) => ts.isPropertyAssignment(one) && one.name.getText() === name);
  return member && ts.isStringLiteral(member.initializer) ? member.initializer.text : '';
}
