/** PropDefs as source: what a kind's author would have written. prettier sees to the layout. */

/** Attributes in the order in which declarations name them. */
const ORDER = [
  'name',
  'kind',
  'via',
  'required',
  'default',
  'createOnly',
  'minLength',
  'length',
  'min',
  'max',
  'enums',
  'enumLabels',
  'format',
  'unique',
  'uniqueQualifiers',
  'uniqueCaseInsensitive',
  'filterQuery',
  'filterQualifier',
  'filterRange',
  'allowRealPubicId',
  'autoUpdate',
  'noSetAll',
  'onDelete',
  'attach',
  'skipOwnerCheck',
  'acceptedFileExtensions',
  'view',
  'edit',
];

const DECORATORS = { id: 'parent', virtual: 'children' };

/** `{decorator, property}` of a prop. */
export function printProp(prop) {
  const decorator = DECORATORS[prop.type] ?? prop.type;
  const { relation } = prop;
  const attributes = { ...prop, ...relation, name: relation?.name, kind: relation?.kind };
  // What the decorator itself adds.
  if (prop.type === 'id') delete attributes.filterQualifier;
  if (prop.type === 'boolean') delete attributes.enums;
  if (prop.type === 'virtual') delete attributes.edit;
  return {
    decorator: `@Prop.${decorator}(${printObject(attributes)})`,
    property: `${prop.name}!: ${typeOf(prop)};`,
  };
}

/** An object literal of the attributes that are there. */
export function printObject(attributes, order = ORDER) {
  const present = order.filter((name) => attributes[name] !== undefined);
  return `{ ${present.map((name) => `${name}: ${printValue(attributes[name])}`).join(', ')} }`;
}

function printValue(value) {
  if (value?.constant) return value.constant;
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`;
  if (typeof value === 'object' && value !== null) return printObject(value, Object.keys(value));
  if (typeof value !== 'string') return String(value);
  return `'${value.replace(/[\\']/g, '\\$&').replace(/[\n\r\u2028\u2029]/g, ' ')}'`;
}

function typeOf(prop) {
  if (prop.type === 'virtual') return 'never';
  if (prop.type === 'json') return 'unknown';
  const types = {
    string: 'string',
    id: 'string',
    int: 'number',
    boolean: 'boolean',
    date: 'Date',
    enum: prop.enums?.map(printValue).join(' | '),
  };
  return prop.required ? types[prop.type] : `${types[prop.type]} | null`;
}
