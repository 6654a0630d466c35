import { Command, CommandRunner } from 'nest-commander';
import '../app.module.js'; // loads the kinds
import { User } from '../kinds/user/user.entity.js';
import { type KindDef, kindOf, registeredKinds } from '../record/kind.js';
import { KindGraph } from '../record/kind-graph.js';
import { CommandError } from './command-error.js';
import { print } from './output.js';

/** `kinds [kind]`: the declarations as the service has them, defaults filled in. Needs no database. */
@Command({
  name: 'kinds',
  arguments: '[kind]',
  argsDescription: { kind: 'that kind alone, like User' },
  description: 'Print the declarations of all kinds, or of one.',
})
export class KindsCommand extends CommandRunner {
  override run([name]: string[]): Promise<void> {
    const kinds = registeredKinds();
    KindGraph.link(kinds, kindOf(User).kind); // what would not start is no declaration
    const asked = kinds.find((kind) => kind.kind === name);
    if (name !== undefined && !asked) {
      const names = kinds.map((kind) => kind.kind).join(', ');
      throw new CommandError(`There is no kind ${name}: they are ${names}.`);
    }
    print(asked ? declarationOf(asked) : kinds.map(declarationOf));
    return Promise.resolve();
  }
}

/** All that was declared and can be written down; a format is its rule. */
function declarationOf({ entity: _entity, props, ...kind }: KindDef): object {
  const shown = props.map(({ format, ...prop }) => ({ ...prop, ...(format && { format: format.rule }) }));
  return { ...kind, props: shown };
}
