import { join } from 'node:path';
import prettier from 'prettier';

/** The files that a generator has made or changed, from the project's root. */
export function written(tree) {
  const actions = tree.actions.filter((one) => one.kind === 'c' || one.kind === 'o');
  return [...new Set(actions.map((one) => one.path))];
}

/** A rule: lays out every file that the generator has written as `npm run format` would. */
export function formatted() {
  return async (tree) => {
    for (const file of written(tree)) {
      const filepath = join(process.cwd(), file);
      const settings = await prettier.resolveConfig(filepath);
      tree.overwrite(file, await prettier.format(tree.readText(file), { ...settings, filepath }));
    }
  };
}
