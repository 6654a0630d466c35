import { posix } from 'node:path';
import ts from 'typescript';
import { Mistake } from './mistake.mjs';
import { decoratorArgument, kindClass, parse } from './project.mjs';

const PROP = 'src/record/schema/prop.ts';

/** From one file to another one, as an import names it; a package has its name alone. */
export function importPath(from, to) {
  if (!to.startsWith('src/')) return to;
  const path = posix.relative(posix.dirname(from), to).replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

/** Puts `insertions` (`{at, text}`) into a text. */
function insert(text, insertions) {
  const sorted = [...insertions].sort((a, b) => b.at - a.at);
  return sorted.reduce((rest, one) => rest.slice(0, one.at) + one.text + rest.slice(one.at), text);
}

/** Where an import of `module` belongs: after the last import of a name before it, among those of its folder. */
function importPlace(source, module) {
  const imports = source.statements.filter(ts.isImportDeclaration);
  const before = imports.filter((one) => one.moduleSpecifier.text < module);
  return (before.at(-1) ?? imports.at(-1))?.end ?? 0;
}

/**
 * Adds an element and its import to an exported list, such as `KINDS` of src/app.module.ts.
 * @param {{file: string, list: string, name: string, module: string}} what
 * @throws Mistake when the list is not where it was, or the name is taken
 */
export function addToList(text, { file, list, name, module }) {
  const source = parse(file, text);
  const array = source.statements
    .filter(ts.isVariableStatement)
    .flatMap((statement) => [...statement.declarationList.declarations])
    .find((one) => one.name.getText() === list)?.initializer;
  if (!array || !ts.isArrayLiteralExpression(array)) {
    throw new Mistake(
      `${file} has no list "const ${list} = [ … ]" any more, where ${name} would go: bring it back.`,
    );
  }
  if (namesOf(source).has(name)) throw new Mistake(`${file} knows another ${name}: choose another name.`);
  const last = array.elements.at(-1);
  const at = importPlace(source, module);
  return insert(text, [
    { at, text: `${at ? '\n' : ''}import { ${name} } from '${module}';${at ? '' : '\n'}` },
    last ? { at: last.end, text: `, ${name}` } : { at: array.elements.pos, text: name },
  ]);
}

/** Every name that a file imports or declares at its top. */
export function namesOf(source) {
  const names = new Set();
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      const { name, namedBindings } = statement.importClause ?? {};
      if (name) names.add(name.text);
      if (namedBindings && ts.isNamedImports(namedBindings))
        namedBindings.elements.forEach((one) => names.add(one.name.text));
    }
    if (ts.isVariableStatement(statement)) {
      statement.declarationList.declarations.forEach((one) => names.add(one.name.getText()));
    }
    if (ts.isClassDeclaration(statement) && statement.name) names.add(statement.name.text);
  }
  return names;
}

/** Adds a member at the end of the props of a kind's class. */
export function addProp(text, { file, className, member }) {
  const source = parse(file, text);
  const node = kindClass(source, className);
  const last = node.members
    .filter(ts.isPropertyDeclaration)
    .findLast((one) => /^@Prop\./.test(one.getText()));
  const added = { at: last?.end ?? node.members.pos, text: `${last ? '\n' : ''}\n${member}\n` };
  if (namesOf(source).has('Prop')) return insert(text, [added]);
  const module = importPath(file, PROP);
  const at = importPlace(source, module);
  return insert(text, [{ at, text: `\nimport { Prop } from '${module}';` }, added]);
}

/**
 * Adds an attribute to the declaration of a kind's class, behind the last of `after` that is there.
 * @param {{file: string, className: string, name: string, value: string, kind: string, after?: string[]}} what
 * `kind`: for whose sake
 * @throws Mistake when it is there already, or the declaration is not spelled out
 */
export function addKindAttribute(text, { file, className, name, value, kind, after = ['owner'] }) {
  const options = declarationOf(text, { file, className });
  const by = `declare ${name} of ${className} in ${file} by hand, for ${kind}: ${value}.`;
  if (!options) throw new Mistake(`${file} has no @Kind({ … }): ${by}`);
  if (attributeOf(options, name)) throw new Mistake(`${className} has ${name} already: ${by}`);
  const before = after.flatMap((one) => attributeOf(options, one) ?? []).at(-1) ?? options.properties.at(-1);
  return insert(text, [{ at: before?.end ?? options.pos, text: `, ${name}: ${value}` }]);
}

/**
 * Adds words to an access list of a kind's class. One that lets nobody in, or everybody, stays as it is.
 * @param {{file: string, className: string, name: string, words: string[], kind: string, missing?: string[]}} what
 * `missing`: what a list that is not there stands for
 * @returns {string | null} null when the list is not spelled out, or lets nobody in: that is for its author
 */
export function addAccessWords(text, { file, className, name, words, kind, missing }) {
  const options = declarationOf(text, { file, className });
  if (!options) return null;
  const list = attributeOf(options, name)?.initializer;
  if (!list && missing && !attributeOf(options, name) && !options.properties.some(ts.isSpreadAssignment)) {
    const value = `[${[...missing, ...words].map((word) => `'${word}'`).join(', ')}]`;
    const after = ['owner', 'groups', 'view', 'create'];
    return addKindAttribute(text, { file, className, name, value, kind, after });
  }
  if (!list || !ts.isArrayLiteralExpression(list) || !list.elements.length) return null;
  if (!list.elements.every(ts.isStringLiteral)) return null;
  const there = list.elements.map((one) => one.text);
  const added = there.includes('public') ? [] : words.filter((word) => !there.includes(word));
  return insert(text, [{ at: list.elements.at(-1).end, text: added.map((word) => `, '${word}'`).join('') }]);
}

/** The object of `@Kind({ … })`; undefined when it is something else. */
function declarationOf(text, { file, className }) {
  const options = decoratorArgument(kindClass(parse(file, text), className), 'Kind');
  return options && ts.isObjectLiteralExpression(options) ? options : undefined;
}

function attributeOf(options, name) {
  return options.properties.find((one) => one.name?.getText() === name);
}
