import { chain, externalSchematic } from '@angular-devkit/schematics';
import ts from 'typescript';
import { formatted, written } from '../lib/format.mjs';

/**
 * The Nest CLI's own generator of the same name, for a project of ES modules: those of @nestjs/schematics 11, the newest
 * that run on Node 20, name files without an ending in their imports, and neither Node nor TypeScript would find them.
 */
export function nest(options) {
  return (_tree, { schematic }) =>
    chain([
      externalSchematic('@nestjs/schematics', schematic.description.name, options),
      withEndings,
      formatted(),
    ]);
}

function withEndings(tree) {
  for (const file of written(tree).filter((path) => path.endsWith('.ts'))) {
    const text = tree.readText(file);
    const edited = importsWithEndings(text);
    if (edited !== text) tree.overwrite(file, edited);
  }
}

/** `./cat.service` as `./cat.service.js`, in each import of the text. */
export function importsWithEndings(text) {
  const { importedFiles } = ts.preProcessFile(text, true, true);
  return importedFiles
    .filter(({ fileName }) => /^\.\.?\//.test(fileName) && !/\.([cm]?js|json)$/.test(fileName))
    .toSorted((a, b) => b.pos - a.pos)
    .reduce((rest, { fileName, pos }) => {
      const end = rest.indexOf(fileName, pos) + fileName.length;
      return `${rest.slice(0, end)}.js${rest.slice(end)}`;
    }, text);
}
