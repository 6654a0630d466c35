/** ESLint rule: what is exported has a docstring, at its first signature. */
export const documentedExports = {
  meta: { type: 'suggestion', schema: [], messages: { missing: 'What is exported has a docstring.' } },
  create: (context) => ({
    'Program > ExportNamedDeclaration[declaration!=null]'(node) {
      const { declaration, parent } = node;
      const before = parent.body[parent.body.indexOf(node) - 1]?.declaration;
      if (before?.type === 'TSDeclareFunction' && before.id.name === declaration.id?.name) return;
      const first = declaration.decorators?.[0] ?? node;
      const start = first.range[0] < node.range[0] ? first : node;
      const comments = context.sourceCode.getCommentsBefore(start);
      if (!comments.at(-1)?.value.startsWith('*')) context.report({ node, messageId: 'missing' });
    },
  }),
};
