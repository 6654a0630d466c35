/** Words that had a private meaning here, and what the field says instead (docs/glossary.md). */
const REPLACED = new Map([
  [/^(?:MOST)(?:_|$)/, 'MAX'],
  [/^most[A-Z]/, 'max…'],
  [/(?:^mend|Mend)(?![a-z])|^MENDS?$/, 'fix'],
  [/(?:^reach|Reach)(?:es)?(?![a-z])/, 'access scope'],
  [/(?:^refusal|Refusal)(?:To|As)[A-Z]/, 'deny…'],
  [/(?:^surroundings|Surroundings)(?![a-z])/, 'included data'],
  [/^(?:backstage|Backstage)/, 'app context'],
  [/(?:^lane|Lane)s?(?![a-z])/, 'read pool'],
  [/^(?:PerTurn|perTurn)/, 'batch loader'],
  [/(?:^keeper|Keeper)(?![a-z])/, 'cleaner'],
  [/^(?:Draft|draftOf)(?![a-z])/, 'change set'],
  [/(?:^answer|Answer)(?:s|To|Error)?(?![a-z])/, 'response, result'],
  [/(?:^asker|Asker)s?(?![a-z])/, 'requester'],
  [/(?:^turn|Turn)s?(?![a-z])/, 'admission queue, tick'],
  [/(?:^rung|Rung)(?![a-z])/, 'fired'],
  [/(?:^figures|Figures)(?![a-z])/, 'stats'],
]);

/** ESLint rule: names of one's own declarations use the field's words. */
export const standardWords = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { word: '{{name}}: say “{{word}}” (docs/glossary.md).' },
  },
  create: (context) => {
    const check = (id) => {
      if (id?.type !== 'Identifier') return;
      for (const [pattern, word] of REPLACED)
        if (pattern.test(id.name))
          context.report({ node: id, messageId: 'word', data: { name: id.name, word } });
    };
    return {
      'VariableDeclarator, ClassDeclaration, TSInterfaceDeclaration, TSTypeAliasDeclaration, FunctionDeclaration'(
        node,
      ) {
        check(node.id);
      },
      'PropertyDefinition, MethodDefinition, TSPropertySignature, TSMethodSignature'(node) {
        check(node.key);
      },
      ':function > Identifier.params'(node) {
        check(node);
      },
    };
  },
};
