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
 * @property {string} file relative to the root, with slashes
 * @property {string[]} members names of the class's properties
 * @property {string[]} relations names of its relations
 * @property {string[]} booleans names of its boolean props
 */

/** The project around a folder: its kinds, those of its tests, and the paths that controllers have taken. */
export class Project {
  /** @param {string} root absolute */
  constructor(root) {
    if (!existsSync(join(root, 'src', 'record', 'kind.ts'))) {
      throw new Mistake(`${root} is no Kindred project: run this in the folder that holds src/.`);
    }
    this.root = root;
    /** @type {KindSource[]} */
    this.kinds = [];
    /** @type {Map<string, string>} path segment → file whose controller has it */
    this.controllerPaths = new Map();
    for (const file of [...sources(root, 'src'), ...sources(root, 'test')]) this.#read(file);
  }

  /** Names of the kinds that a relation can lead to. */
  get kindNames() {
    return this.kinds.filter((one) => one.file.startsWith('src/')).map((one) => one.kind);
  }

  /** @returns {KindSource | undefined} */
  kind(name) {
    return this.kinds.find((one) => one.kind === name && one.file.startsWith('src/'));
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
    if (!/@(Kind|Controller)\(/.test(text)) return;
    const source = parse(file, text);
    for (const node of source.statements.filter(ts.isClassDeclaration)) {
      const kind = decoratorArgument(node, 'Kind');
      if (kind && ts.isObjectLiteralExpression(kind)) this.kinds.push(kindOf(node, kind, file));
      const path = decoratorArgument(node, 'Controller');
      if (path && ts.isStringLiteral(path)) this.controllerPaths.set(path.text, file);
    }
  }
}

/** A syntax tree with parents. @throws Mistake when the file does not parse */
export function parse(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  if (source.parseDiagnostics.length) throw new Mistake(`${file} has a syntax error: mend it first.`);
  return source;
}

/** The class of a source that declares a kind. */
export function kindClass(source, className) {
  return source.statements.find((node) => ts.isClassDeclaration(node) && node.name?.text === className);
}

function sources(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.d)\.ts$/.test(entry.name) && !/spec\.ts$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

function kindOf(node, options, file) {
  const props = node.members.filter(ts.isPropertyDeclaration).map((member) => ({
    name: member.name.getText(),
    call: propCall(member),
  }));
  return {
    kind: literal(options, 'kind'),
    path: literal(options, 'path'),
    className: node.name?.text ?? '',
    file,
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

function decoratorArgument(node, name) {
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
