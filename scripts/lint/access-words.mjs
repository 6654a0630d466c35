/*
 * ESLint: who may do what is decided in src/record/access/. Elsewhere nobody reads the words of a declaration that say it,
 * nor who a viewer is; whoever wants to know asks a function of that folder. The rule goes by types, so that another thing
 * may be called `create`, and by whatever way a property is read: a.b, a['b'], a[b], a?.b, or taking apart.
 */
import ts from 'typescript';

/** Type → its properties that only the access folder reads. */
const WORDS = {
  KindOptions: ['owner', 'groups', 'view', 'create', 'write', 'membership', 'readOnly'],
  KindDef: ['owner', 'groups', 'view', 'create', 'write', 'membership', 'readOnly'],
  LinkedKind: ['linkedGroups', 'linkedMembership'],
  PropDef: ['view', 'edit', 'noSetAll', 'createOnly', 'updateOnly'],
  ParentRelation: ['attach', 'skipOwnerCheck'],
  Viewer: ['roles', 'memberships', 'userId', 'sessionId'],
};

/** @type {import('eslint').Rule.RuleModule} */
export const accessWords = {
  meta: {
    type: 'problem',
    schema: [
      {
        type: 'object',
        properties: {
          /** What may be read all the same: `Type`, or `Type.property`. */
          allow: { type: 'array', items: { type: 'string' } },
        },
        additionalProperties: false,
      },
    ],
    defaultOptions: [{ allow: [] }],
    messages: {
      elsewhere:
        '{{word}} says who may do what: that is decided in src/record/access/. Ask a function there, or write one.',
    },
  },
  create(context) {
    /** Of projectService: eslint.config.mjs. */
    const services = context.sourceCode.parserServices;
    const checker = services.program.getTypeChecker();
    const allowed = new Set(context.options[0].allow);

    /** The word that the property of a type is, as `Type.property`. */
    function wordOf(type, name) {
      const types = type.isUnion() ? type.types : [type];
      for (const one of types) {
        const declarations =
          checker.getPropertyOfType(checker.getApparentType(one), name)?.declarations ?? [];
        for (const { parent } of declarations) {
          const owner = parent?.name?.text;
          if (Object.hasOwn(WORDS, owner ?? '') && WORDS[owner].includes(name)) return `${owner}.${name}`;
        }
      }
      return null;
    }

    /** The names that a key may have: its own, or of one in brackets those of its type. */
    function namesOf(key, isComputed) {
      if (!isComputed) return [key.type === 'Literal' ? String(key.value) : (key.name ?? '')];
      const type = services.getTypeAtLocation(key);
      const types = type.isUnion() ? type.types : [type];
      return types.filter((one) => one.flags & ts.TypeFlags.StringLiteral).map(({ value }) => value);
    }

    function check(key, isComputed, object) {
      const type = services.getTypeAtLocation(object);
      for (const name of namesOf(key, isComputed)) {
        const word = wordOf(type, name);
        if (!word || allowed.has(word) || allowed.has(word.split('.')[0])) continue;
        context.report({ node: key, messageId: 'elsewhere', data: { word } });
        return;
      }
    }

    return {
      MemberExpression: (node) => check(node.property, node.computed, node.object),
      ObjectPattern(node) {
        for (const property of node.properties) {
          if (property.type === 'Property') check(property.key, property.computed, node);
        }
      },
    };
  },
};
