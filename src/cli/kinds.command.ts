import { Command, CommandRunner } from 'nest-commander';
import '../app.module.js'; // loads the kinds
import { User } from '../kinds/user/user.entity.js';
import { kindOf, kindsOf, registeredVersions } from '../record/schema/kind.js';
import type { KindDef } from '../record/schema/kind-def.js';
import { KindGraph } from '../record/schema/kind-graph.js';
import { CommandError } from './command-error.js';
import { Terminal } from './terminal.js';

/** `kinds [kind]`: the declarations, in all versions of the API, as the service has them, defaults filled in. Needs no database. */
@Command({
  name: 'kinds',
  arguments: '[kind]',
  argsDescription: { kind: 'that kind alone, like User' },
  description: 'Print the declarations of all kinds, or of one.',
})
export class KindsCommand extends CommandRunner {
  constructor(private readonly terminal: Terminal) {
    super();
  }

  override run([name]: string[]): Promise<void> {
    const kinds = registeredVersions().flatMap((version) => {
      const all = kindsOf(version);
      KindGraph.link(all, kindOf(User).kind, version); // what would not start is no declaration
      return all;
    });
    const asked = kinds.filter((kind) => kind.kind === name);
    if (name !== undefined && !asked.length) {
      const names = [...new Set(kinds.map((kind) => kind.kind))].join(', ');
      throw new CommandError(`There is no kind ${name}: they are ${names}.`);
    }
    const [only, ...others] = asked.map(declarationOf);
    this.terminal.print(
      only && !others.length ? only : asked.length ? asked.map(declarationOf) : kinds.map(declarationOf),
    );
    return Promise.resolve();
  }
}

/** The declaration as JSON. A format is shown as its rule. */
function declarationOf(def: KindDef): object {
  const { entity: _entity, storedAs: _storedAs, columns: _columns, props, ...kind } = def;
  const shown = props.map(({ format, ...prop }) => ({ ...prop, ...(format && { format: format.rule }) }));
  return { ...kind, props: shown };
}
