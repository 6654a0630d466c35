import { Mistake } from '../lib/mistake.mjs';
import { title } from '../lib/names.mjs';
import { JS_KEYWORDS, SQL_KEYWORDS } from './keywords.mjs';

/*
 * The short form of props on the command line, read into the engine's own PropDef (src/record/schema/prop.ts):
 *
 *   props    = [prop {"," prop}]
 *   prop     = name ":" type {":" modifier}
 *   type     = word ["(" argument {"|" argument} ")"], and so is a modifier; for strings a number is the length
 *
 * What a combination of them means is for the engine's own check (kind-checks.ts) to judge; here stands what can be said.
 */

const BASE_PROPS = new Set(['id', 'createdAt', 'updatedAt']);

/** How each modifier changes a prop; `types` are those that it is for. Also the help text. */
export const MODIFIERS = {
  required: { types: 'string int boolean date enum json parent', apply: flag('required') },
  default: {
    types: 'string int boolean enum',
    apply: (prop, term) => (prop.default = defaultOf(prop, term)),
  },
  min: {
    types: 'string int',
    apply: (prop, term) => (prop[prop.type === 'int' ? 'min' : 'minLength'] = whole(term)),
  },
  max: { types: 'int', apply: (prop, term) => (prop.max = whole(term)) },
  format: { types: 'string', apply: (prop, term, { formats }) => (prop.format = formatOf(term, formats)) },
  unique: { types: 'string int date enum parent', apply: makeUnique },
  nocase: { types: 'string', apply: flag('uniqueCaseInsensitive') },
  search: { types: 'string enum', apply: flag('filterQuery') },
  qualifier: { types: 'string int boolean date enum parent', apply: flag('filterQualifier') },
  range: { types: 'int date', apply: flag('filterRange') },
  realId: { types: 'parent', apply: flag('allowRealPubicId') },
  cascade: { types: 'parent', apply: (prop) => (prop.relation.onDelete = 'cascade') },
  restrict: { types: 'parent', apply: (prop) => (prop.relation.onDelete = 'restrict') },
  null: { types: 'parent', apply: (prop) => (prop.relation.onDelete = 'null') },
  attach: { types: 'parent', apply: (prop, term) => (prop.relation.attach = some(term, 'owner|member')) },
  any: { types: 'parent', apply: (prop) => (prop.relation.skipOwnerCheck = true) },
  files: {
    types: 'parent',
    apply: (prop, term) => (prop.relation.acceptedFileExtensions = some(term, 'png|jpg')),
  },
  list: { types: 'parent', apply: (prop, term) => (prop.list = one(term, 'comments')) },
  via: { types: 'children', apply: (prop, term) => (prop.relation.via = one(term, 'parentId')) },
  autoUpdate: { types: 'date', apply: (prop) => Object.assign(prop, { autoUpdate: true, edit: [] }) },
  createOnly: { types: 'string int boolean date enum json parent', apply: flag('createOnly') },
  noSetAll: { types: 'string int boolean date enum json parent', apply: flag('noSetAll') },
  public: {
    types: 'string int boolean date enum json parent children',
    apply: (prop) => (prop.view = ['public']),
  },
  view: {
    types: 'string int boolean date enum json parent children',
    apply: (prop, term) => (prop.view = term.args),
  },
  edit: { types: 'string int boolean date enum json parent', apply: (prop, term) => (prop.edit = term.args) },
};

/** How each type begins a prop. */
const TYPES = {
  string: () => ({ type: 'string' }),
  int: () => ({ type: 'int' }),
  boolean: ({ name }, { args }) => ({
    type: 'boolean',
    enums: [false, true],
    enumLabels: args.length ? args : [`Not ${title(name)}`, title(name)],
  }),
  date: () => ({ type: 'date' }),
  enum: (_, term) => {
    const values = some(term, 'draft|live').map((one) => one.split('='));
    if (values.some((parts) => parts.some((part) => part.trim() === '')))
      throw new Mistake('an enum is value=Label, and neither can be empty.');
    return {
      type: 'enum',
      enums: values.map(([value]) => value),
      enumLabels: values.map(([value, ...label]) => (label.length ? label.join('=') : title(value))),
    };
  },
  json: () => ({ type: 'json' }),
  parent: ({ name }, term) => ({
    type: 'id',
    idOf: one(term, 'Project'),
    filterQualifier: true,
    relation: { type: 'parent', name, kind: one(term, 'Project') },
  }),
  children: ({ name }, term) => ({
    type: 'virtual',
    edit: [],
    relation: { type: 'child', name, kind: one(term, 'Comment') },
  }),
};
/** Nobody sees the prop, or sets it. */
const MAY_BE_EMPTY = new Set(['view', 'edit']);
const TAKES_ARGUMENTS = new Set(['boolean', 'enum', 'parent', 'children']);
const CONTRACT_NAMES = { id: 'parent(Kind)', virtual: 'children(Kind)' };

/**
 * Reads the short form of props.
 * @param {string} text
 * @param {{formats: Record<string, string>, reserved?: ReadonlySet<string>}} known format name → name of the constant in
 *   formats.ts; names that no prop may have
 * @returns {object[]} PropDefs; a parent may have `list`, the name of a child list for the other side, and a `format` is
 *   `{constant}`
 * @throws Mistake naming the prop and the fix
 */
export function readProps(text, known) {
  if (text.trim() === '') return [];
  const props = split(text, ',').map((part) => readProp(part.trim(), known));
  const names = new Set();
  for (const { name } of props) {
    if (names.has(name)) throw new Mistake(`Prop ${name} is there twice: leave one out or rename it.`);
    if (known.reserved?.has(name)) {
      throw new Mistake(`Prop ${name}: the name belongs to JavaScript or the protocol; choose another.`);
    }
    names.add(name);
  }
  return props;
}

function readProp(text, known) {
  const [name = '', typeText, ...modifiers] = split(text, ':').map((part) => part.trim());
  const fail = (fix) => {
    throw new Mistake(`Prop ${name || `"${text}"`}: ${fix}`);
  };
  if (!/^[a-z][A-Za-z0-9]*$/.test(name))
    fail('a prop is name:type, its name a small letter, then letters and digits.');
  if (typeText === undefined || typeText === '')
    fail(`say its type, one of ${Object.keys(TYPES).join(', ')}.`);
  const type = termOf(typeText, fail);
  if (!Object.hasOwn(TYPES, type.word)) {
    const meant = Object.hasOwn(CONTRACT_NAMES, type.word)
      ? `; "${type.word}" is ${CONTRACT_NAMES[type.word]} here`
      : '';
    fail(`there is no type "${type.word}", take one of ${Object.keys(TYPES).join(', ')}${meant}.`);
  }
  if (type.args.length && !TAKES_ARGUMENTS.has(type.word)) fail(`${type.word} takes nothing in brackets.`);
  const relation = type.word === 'parent' ? name.replace(/(?<=.)Id$/, '') : name;
  const started = attempt(fail, () => TYPES[type.word]({ name: relation }, type));
  const prop = {
    name: type.word === 'parent' ? `${relation}Id` : name,
    view: ['owner'],
    edit: ['owner'],
    ...started,
  };
  checkName(prop.name, fail);
  for (const modifier of modifiers) modify(prop, type.word, termOf(modifier, fail), known, fail);
  if (prop.type === 'string' && prop.length === undefined) {
    fail(`a string needs its length, as in ${name}:string:120.`);
  }
  if (type.word === 'parent') prop.relation.onDelete ??= prop.required ? 'restrict' : 'null';
  return prop;
}

function checkName(name, fail) {
  if (BASE_PROPS.has(name)) fail('every kind has it already; leave it out.');
  const language = SQL_KEYWORDS.has(name.toLowerCase()) ? 'SQL' : JS_KEYWORDS.has(name) ? 'JavaScript' : null;
  if (language) fail(`the name is a word of ${language}; choose another.`);
}

function modify(prop, type, term, known, fail) {
  if (type === 'string' && /^\d+$/.test(term.word) && !term.args.length) {
    if (prop.length !== undefined) fail('its length is there twice.');
    prop.length = Number(term.word);
    return;
  }
  const modifier = Object.hasOwn(MODIFIERS, term.word) ? MODIFIERS[term.word] : undefined;
  const fitting = Object.keys(MODIFIERS).filter((word) => MODIFIERS[word].types.split(' ').includes(type));
  if (!modifier?.types.split(' ').includes(type)) {
    fail(`"${term.word}" is no modifier of ${type}, take of ${fitting.join(', ')}.`);
  }
  attempt(fail, () => modifier.apply(prop, term, known));
}

function flag(attribute) {
  return (prop, term) => {
    if (term.args.length) throw new Mistake(`${term.word} takes nothing in brackets.`);
    prop[attribute] = true;
  };
}

function makeUnique(prop, term) {
  prop.unique = true;
  if (term.args.length) prop.uniqueQualifiers = term.args;
}

function formatOf(term, formats) {
  const constant = formats[one(term, 'email')];
  if (constant) return { constant };
  throw new Mistake(`there is no format "${term.args[0]}", take one of ${Object.keys(formats).join(', ')}.`);
}

function defaultOf(prop, term) {
  if (prop.type === 'int') return whole(term);
  const value = one(term, 'draft');
  if (prop.type !== 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new Mistake('its default is default(true) or default(false).');
}

function whole(term) {
  const number = Number(one(term, '9'));
  if (Number.isSafeInteger(number)) return number;
  throw new Mistake(`${term.word} takes a whole number, as in ${term.word}(9).`);
}

function one(term, example) {
  if (term.args.length === 1) return term.args[0];
  throw new Mistake(`${term.word} takes one thing in brackets, as in ${term.word}(${example}).`);
}

function some(term, example) {
  if (term.args.length) return term.args;
  throw new Mistake(`${term.word} needs something in brackets, as in ${term.word}(${example}).`);
}

function attempt(fail, work) {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    return fail(error.message);
  }
}

/** `word(a|b)` as its word and arguments; `word()` has none. */
function termOf(text, fail) {
  const match = /^([A-Za-z0-9]+)(?:\(([^()]*)\))?$/.exec(text);
  if (!match)
    return fail(`"${text}" should be a word, with what belongs to it in brackets: enum(draft|live).`);
  const args = (match[2] ?? '').split('|').map((part) => part.trim());
  if (args.length > 1 && args.includes('')) fail(`"${text}" has an empty place between its bars.`);
  if (match[2]?.trim() === '' && !MAY_BE_EMPTY.has(match[1]))
    fail(`"${text}" has nothing in its brackets: leave them out, or say what belongs there.`);
  return { word: match[1], args: args.filter((part) => part !== '') };
}

/** Splits outside of brackets. */
function split(text, separator) {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (character === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  if (depth !== 0) throw new Mistake(`The brackets of "${text}" do not match.`);
  return parts;
}
