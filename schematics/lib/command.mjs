import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';

const require = createRequire(import.meta.url);

const { schematics } = JSON.parse(readFileSync(new URL('../collection.json', import.meta.url), 'utf8'));

/** Our generators by the names that the Nest CLI knows them by; its own ones have their schemas elsewhere. */
const COLLECTION = Object.fromEntries(
  Object.entries(schematics).filter(([, { schema }]) => schema.startsWith('./')),
);

/** The generator of a name or alias; undefined when it is none of ours. */
export function generatorNamed(word) {
  return Object.keys(COLLECTION).find((name) => name === word || COLLECTION[name].aliases?.includes(word));
}

/**
 * Runs one of our generators with the options of its schema. The Nest CLI itself would refuse options that it does not
 * know, and hide a failure.
 * @param {string} generator
 * @param {string[]} args what stood after the generator's name
 * @param {string} usage how it was called, for the help text
 * @returns {Promise<number>} exit code
 */
export async function runGenerator(generator, args, usage) {
  const schema = JSON.parse(
    readFileSync(new URL(`../${COLLECTION[generator].schema}`, import.meta.url), 'utf8'),
  ).properties;
  const own = Object.keys(schema).filter((name) => schema[name].visible !== false);
  const [first, second] = own;
  let parsed;
  try {
    parsed = parseArgs({ args, options: optionsOf(own), allowPositionals: true });
    if (parsed.positionals.length > (second ? 2 : 1))
      throw new Error(`"${parsed.positionals[2]}" is one word too many.`);
  } catch (error) {
    process.stderr.write(`${error.message.split(/[\n.]/)[0]}: see --help.\n`);
    return 1;
  }
  const { values, positionals } = parsed;
  const given = { [first]: positionals[0], [second]: positionals[1], ...values };
  const empty = own.find((name) => name !== first && given[name]?.trim() === '');
  if (empty !== undefined) {
    process.stderr.write(`${empty} is empty: leave it out, or say something.\n`);
    return 1;
  }
  const present = own.filter((name) => given[name]?.trim());
  if (values.help || !present.includes(first)) {
    process.stdout.write(helpText(schema, own, usage));
    return values.help ? 0 : 1;
  }
  // The command behind would take them for something else than text.
  const odd = present.find(
    (name) =>
      !new RegExp(schema[name].pattern ?? '').test(given[name]) ||
      (schema[name].type === 'string' &&
        (['true', 'false'].includes(given[name]) || !Number.isNaN(Number(given[name])))),
  );
  if (odd !== undefined) {
    process.stderr.write(`${odd}: "${given[odd]}" will not do: ${schema[odd].description}\n`);
    return 1;
  }
  // In one word each, so that no value is taken for an option.
  const line = present.map((name) => `--${name}=${given[name]}`);
  if (values['dry-run']) line.push('--dry-run');
  const { main } = require('@angular-devkit/schematics-cli/bin/schematics.js');
  return main({ args: [`@kindred/schematics:${generator}`, ...line] });
}

function optionsOf(names) {
  const flags = { 'dry-run': { type: 'boolean', short: 'd' }, help: { type: 'boolean', short: 'h' } };
  return { ...flags, ...Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
}

function helpText(schema, own, usage) {
  const [first, ...rest] = own;
  const width = Math.max(...rest.map((name) => name.length), 'dry-run'.length);
  const lines = rest.map((name) => `  --${name.padEnd(width)} ${schema[name].description}\n`);
  return (
    `${usage} <${first}> [options]\n\n  ${`<${first}>`.padEnd(width + 2)} ${schema[first].description}\n${lines.join('')}` +
    `  ${'--dry-run'.padEnd(width + 2)} Say what would be written, and write nothing.\n`
  );
}
