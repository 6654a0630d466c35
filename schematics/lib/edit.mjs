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
 * Adds an attribute to the declaration of a kind's class, behind `owner`.
 * @param {{file: string, className: string, name: string, value: string, kind: string}} what `kind`: for whose sake
 * @throws Mistake when it is there already, or the declaration is not spelled out
 */
export function addKindAttribute(text, { file, className, name, value, kind }) {
  const source = parse(file, text);
  const options = decoratorArgument(kindClass(source, className), 'Kind');
  const by = `declare ${name} of ${className} in ${file} by hand, for ${kind}: ${value}.`;
  if (!options || !ts.isObjectLiteralExpression(options))
    throw new Mistake(`${file} has no @Kind({ … }): ${by}`);
  if (options.properties.some((one) => one.name?.getText() === name))
    throw new Mistake(`${className} has ${name} already: ${by}`);
  const owner =
    options.properties.find((one) => one.name?.getText() === 'owner') ?? options.properties.at(-1);
  return insert(text, [{ at: owner?.end ?? options.pos, text: `, ${name}: ${value}` }]);
}
