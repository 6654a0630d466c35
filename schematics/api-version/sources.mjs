import { posix } from 'node:path';
import ts from 'typescript';
import { decoratorArgument, parse } from '../lib/project.mjs';

/**
 * A class that a version of the API is made of.
 * @typedef {object} Part
 * @property {'entity' | 'service' | 'controller'} role
 * @property {string} name
 * @property {string} file relative to the root
 * @property {string} version
 * @property {string} root the class at the beginning of the line of versions: what others ask to be given
 * @property {string} rootFile
 * @property {string} [entity] class of a controller's kind; of a service's, as the first version has it
 * @property {string} [path] path of a controller without a kind
 */

/** Every exported class of the sources, as far as versions are concerned: what it extends, and what its decorators say. */
export function classesOf(project) {
  return project.sources('src').flatMap((file) => {
    const text = project.text(file);
    if (!/\bclass\b/.test(text)) return [];
    const source = parse(file, text);
    return source.statements
      .filter((node) => ts.isClassDeclaration(node) && node.name && isExported(node))
      .map((node) => ({ file, source, node, name: node.name.text, base: baseOf(node) }));
  });
}

/** The parts of all versions. A class belongs to the version that it says, or that the class above it belongs to. */
export function partsOf(classes) {
  const parts = new Map();
  const entityOf = (name) => parts.get(name)?.role === 'entity' && parts.get(name);
  const add = (one, role, version, more = {}) => {
    const above = parts.get(one.base);
    const { root, rootFile } = above?.role === role ? above : { root: one.name, rootFile: one.file };
    parts.set(one.name, { role, name: one.name, file: one.file, version, root, rootFile, ...more });
  };
  const later = [];
  for (const one of classes) {
    const kind = decoratorArgument(one.node, 'Kind');
    if (kind) add(one, 'entity', literalOf(kind, 'version') ?? 'v1');
    else if (argumentsOf(one.node, 'KindVersion')) later.push(one);
  }
  // Each after the one that it extends.
  for (let rest = later; rest.length;) {
    const ready = rest.filter((one) => entityOf(one.base));
    if (!ready.length) break;
    for (const one of ready) add(one, 'entity', argumentsOf(one.node, 'KindVersion')[0]?.text);
    rest = rest.filter((one) => !ready.includes(one));
  }
  for (const one of classes.filter((each) => isService(each, classes))) {
    const entity = servedEntity(one, classes, entityOf);
    if (entity) add(one, 'service', entity.version, { entity: entity.root });
  }
  for (const one of classes) {
    const [entity] = argumentsOf(one.node, 'KindController') ?? [];
    if (entity && entityOf(entity.getText()))
      add(one, 'controller', entityOf(entity.getText()).version, { entity: entity.getText() });
    const plain = argumentsOf(one.node, 'Controller');
    if (plain && !/VERSION_NEUTRAL/.test(plain[0]?.getText() ?? ''))
      add(one, 'controller', literalOf(plain[0], 'version') ?? 'v1', { path: pathOf(plain[0]) });
  }
  const folder = (one) => /^src\/versions\/(v\d+)\//.exec(one.file)?.[1];
  const heirs = classes.filter((one) => folder(one) !== undefined && !parts.has(one.name));
  for (let rest = heirs; ;) {
    const ready = rest.filter((one) => parts.get(one.base)?.role === 'service');
    if (!ready.length) break;
    for (const one of ready) add(one, 'service', folder(one), { entity: parts.get(one.base).entity });
    rest = rest.filter((one) => !ready.includes(one));
  }
  return [...parts.values()];
}

/** Module class → `{file, members, imports, isShared}`, of every module of the sources. */
export function modulesOf(classes) {
  return classes.flatMap(({ name, file, node, source }) => {
    const options = decoratorArgument(node, 'Module');
    if (!options || !ts.isObjectLiteralExpression(options)) return [];
    const list = (key) => {
      const member = options.properties.find((one) => one.name?.getText() === key);
      return member && ts.isArrayLiteralExpression(member.initializer)
        ? member.initializer.elements.filter(ts.isIdentifier).map((one) => one.text)
        : [];
    };
    return {
      name,
      file,
      members: [...list('controllers'), ...list('providers')],
      imports: list('imports').map((one) => ({ name: one, file: importedFrom(source, one, file) })),
      isShared: options.properties.some((one) => one.name?.getText() === 'exports'),
    };
  });
}

function importedFrom(source, name, file) {
  const found = source.statements
    .filter(ts.isImportDeclaration)
    .find((one) => one.importClause?.namedBindings?.elements?.some((element) => element.name.text === name));
  const from = found?.moduleSpecifier.text;
  return from?.startsWith('.') ? posix.join(posix.dirname(file), from).replace(/\.js$/, '.ts') : from;
}

function isExported(node) {
  return ts.getModifiers(node)?.some((one) => one.kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function baseOf(node) {
  const clause = node.heritageClauses?.find((one) => one.token === ts.SyntaxKind.ExtendsKeyword);
  return clause?.types[0]?.expression.getText();
}

/** The class that another one extends: of its own file, or else of any. */
function above({ base, file }, classes) {
  const found = classes.filter(({ name }) => name === base);
  return found.find((one) => one.file === file) ?? found[0];
}

/** Whether a class is a RecordService, directly or by classes in between, and not itself one for others to extend. */
function isService(one, classes) {
  if (isAbstract(one.node) || /^src\/versions\//.test(one.file)) return isOwnService(one);
  for (let at = one, steps = 0; at && steps < 50; at = above(at, classes), steps++) {
    if (at.base === 'RecordService') return true;
  }
  return false;
}

/** A class below src/versions/ extends the one of the version before, unless its kind came with that version. */
const isOwnService = ({ node, base }) => !isAbstract(node) && base === 'RecordService';

function isAbstract(node) {
  return ts.getModifiers(node)?.some((one) => one.kind === ts.SyntaxKind.AbstractKeyword) ?? false;
}

/** The kind that a service is for: what its constructor, or the one that it inherits, hands on: `super(engine, User)`. */
function servedEntity(one, classes, entityOf) {
  for (let at = one, steps = 0; at && steps < 50; at = above(at, classes), steps++) {
    const entity = superArguments(at.node)
      .map((argument) => entityOf(argument.getText()))
      .find(Boolean);
    if (entity) return entity;
  }
  return undefined;
}

function superArguments(node) {
  const constructor = node.members.find(ts.isConstructorDeclaration);
  const call = constructor?.body?.statements.find(
    (one) =>
      ts.isExpressionStatement(one) &&
      ts.isCallExpression(one.expression) &&
      one.expression.expression.kind === ts.SyntaxKind.SuperKeyword,
  );
  return [...(call?.expression.arguments ?? [])];
}

function argumentsOf(node, name) {
  for (const { expression } of ts.getDecorators(node) ?? []) {
    if (ts.isCallExpression(expression) && expression.expression.getText() === name)
      return expression.arguments;
  }
  return undefined;
}

function literalOf(object, name) {
  if (!object || !ts.isObjectLiteralExpression(object)) return undefined;
  const member = object.properties.find((one) => ts.isPropertyAssignment(one) && one.name.getText() === name);
  return member && ts.isStringLiteral(member.initializer) ? member.initializer.text : undefined;
}

function pathOf(argument) {
  return argument && ts.isStringLiteral(argument) ? argument.text : (literalOf(argument, 'path') ?? '');
}
