import type { JsonSchema } from './json-schema.js';

type Part = 'schemas' | 'parameters' | 'responses';

/** The `components` of a document under construction. Each part is created on its first reference. */
export class Components {
  private readonly parts = {
    schemas: new Map<string, JsonSchema>(),
    parameters: new Map<string, object>(),
    responses: new Map<string, object>(),
  };

  /** A reference to a schema. Those of a kind begin with its name; the others have a prefix (shared-schemas.ts). */
  schema(name: string, make: () => JsonSchema): JsonSchema {
    return this.reference('schemas', name, make);
  }

  parameter(name: string, make: () => object): object {
    return this.reference('parameters', name, make);
  }

  response(name: string, make: () => object): object {
    return this.reference('responses', name, make);
  }

  /** Everything that was referred to, in alphabetical order. */
  all(): Record<Part, Record<string, object>> {
    const sorted = (part: Part) =>
      Object.fromEntries([...this.parts[part]].sort(([a], [b]) => (a < b ? -1 : 1)));
    return {
      schemas: sorted('schemas'),
      parameters: sorted('parameters'),
      responses: sorted('responses'),
    };
  }

  private reference(part: Part, name: string, make: () => object): { $ref: string } {
    const made: Map<string, object> = this.parts[part];
    if (!made.has(name)) {
      made.set(name, {}); // taken, so that a schema may refer to itself
      made.set(name, make());
    }
    return { $ref: `#/components/${part}/${name}` };
  }
}
