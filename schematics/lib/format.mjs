import { join } from 'node:path';
import prettier from 'prettier';

/** A rule: lays out every file that the generator has written as `npm run format` would. */
export function formatted() {
  return async (tree) => {
    const files = new Set(
      tree.actions.filter((one) => one.kind === 'c' || one.kind === 'o').map((one) => one.path),
    );
    for (const file of files) {
      const filepath = join(process.cwd(), file);
      const settings = await prettier.resolveConfig(filepath);
      tree.overwrite(file, await prettier.format(tree.readText(file), { ...settings, filepath }));
    }
  };
}
