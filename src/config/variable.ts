import { Transform } from 'class-transformer';

/** One row of the table in docs/configuration.md. */
export interface ConfigVariable {
  /** The name in the environment. */
  readonly name: string;
  /** The value of an unset or empty variable; an empty text if there is no default. */
  readonly default: string;
  /** What it does, with the unit. */
  readonly meaning: string;
}

interface Declared extends ConfigVariable {
  readonly property: string;
  readonly secret: boolean;
}

const declared: Declared[] = [];

/** How a variable is declared: see {@link Variable}. */
export interface VariableOptions {
  readonly default: string;
  readonly meaning: string;
  /** Parses the value. Invalid text is returned unchanged, and the property's check then refuses it. */
  readonly read?: (text: string) => unknown;
  /** The value never appears in a message. */
  readonly secret?: boolean;
}

/** Property decorator: reads the property from the environment variable `name`. Other decorators check the value. */
export function Variable(name: string, options: VariableOptions): PropertyDecorator {
  const { read, secret = false } = options;
  return (target, property) => {
    declared.push({
      name,
      default: options.default,
      meaning: options.meaning,
      property: String(property),
      secret,
    });
    if (read) {
      Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? read(value) : value))(
        target,
        property,
      );
    }
  };
}

/** Every declared variable, in the order of declaration. */
export const declaredVariables = (): readonly Declared[] => declared;

/** A decimal whole number; anything else stays a text. */
export const toInteger = (text: string): number | string => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);

/** `true` or `false`; anything else stays a text. */
export const toBoolean = (text: string): boolean | string =>
  text === 'true' ? true : text === 'false' ? false : text;

/** A comma list: trimmed, without empty entries. */
export const toList = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** TRUST_PROXY: `false`, `true`, a hop count, or a comma list of addresses. */
export const toTrustProxy = (text: string): boolean | number | string[] => {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,3}$/.test(text) ? Number(text) : toList(text);
};
