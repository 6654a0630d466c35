// Type-aware rules: an un-awaited permission check is a hole, so floating and misused promises are errors.
import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import { accessWords } from './scripts/lint/access-words.mjs';
import { documentedExports } from './scripts/lint/documented-exports.mjs';
import { noCircles } from './scripts/lint/no-circles.mjs';
import { standardWords } from './scripts/lint/standard-words.mjs';

/**
 * The rooms of src/, from the lowest to the highest: each imports only from those before it, types included
 * (docs/decisions/0021-one-direction.md). Tests may look into all of them.
 */
const ROOMS = [
  'common',
  'config',
  'postgres',
  'tracing',
  'http',
  'openapi-model',
  'record',
  'auth',
  'storage',
  'scheduler',
  'files',
  'test-endpoint',
  // A version extends kinds, and a kind that begins with one is part of it.
  ['kinds', 'versions'],
  'health',
  'metrics',
  'openapi',
  'database',
  'app.module',
  'bootstrap',
  'cli',
];
/** How deep a file lies: 0 is a file of src/ itself. */
const DEPTHS = [0, 1, 2, 3];

const direction = ROOMS.flatMap((rooms, i) => {
  const above = [...ROOMS.slice(i + 1).flat(), 'main', 'service'].join('|');
  const rule = (room, depth) => ({
    files: [depth ? `src/${room}/${'*/'.repeat(depth - 1)}*.ts` : `src/${room}.ts`],
    ignores: ['**/*.spec.ts', '**/spec-support.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `^${depth ? '(?:\\.\\./)'.repeat(depth) : '\\./'}(?:${above})(?:/|\\.js$)`,
              message: `src/${room} stands below: move what both need down, or pass it in.`,
            },
          ],
        },
      ],
    },
  });
  return [rooms].flat().flatMap((room) => DEPTHS.map((depth) => rule(room, depth)));
});

export default tseslint.config(
  { ignores: ['dist/', 'client/dist/', 'node_modules/', 'data/', 'coverage/', '.cache/'] },
  js.configs.recommended,
  // Outside text meets these: what takes time with the square of its length stops the process for everybody.
  {
    files: ['src/**/*.ts', 'client/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.ts'],
    plugins: {
      kindred: {
        rules: {
          'access-words': accessWords,
          'documented-exports': documentedExports,
          'no-circles': noCircles,
          'standard-words': standardWords,
        },
      },
    },
  },
  // One word for one thing (docs/glossary.md). Kinds have the words of what they are about.
  {
    files: ['src/**/*.ts'],
    ignores: ['src/kinds/**', 'src/versions/**'],
    rules: { 'kindred/standard-words': 'error' },
  },
  {
    files: ['src/**/*.ts', 'client/src/**/*.ts', 'test/**/*.ts'],
    ignores: [
      '**/*.spec.ts',
      '**/*.e2e-spec.ts',
      'test/**/*.values.ts',
      'client/src/schema*.ts',
      'src/database/migrations/*.ts',
    ],
    rules: { 'kindred/documented-exports': 'error' },
  },
  ...direction,
  { files: ['src/**/*.ts'], ignores: ['**/*.spec.ts'], rules: { 'kindred/no-circles': 'error' } },
  // Who may do what is decided in one folder (docs/decisions/0022-closed-by-default.md).
  {
    files: ['src/**/*.ts'],
    ignores: ['**/*.spec.ts', 'src/record/access/**'],
    // Whose request it is stands in logs, keys of queues and rows; within the engine even that is asked for.
    rules: { 'kindred/access-words': ['error', { allow: ['Viewer.userId', 'Viewer.sessionId'] }] },
  },
  {
    files: ['src/record/**/*.ts'],
    ignores: ['**/*.spec.ts', 'src/record/access/**'],
    rules: { 'kindred/access-words': ['error', { allow: [] }] },
  },
  // What declares, checks and links them before anybody asks.
  {
    files: ['src/record/schema/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'kindred/access-words': [
        'error',
        { allow: ['KindOptions', 'KindDef', 'LinkedKind', 'PropDef', 'ParentRelation'] },
      ],
    },
  },
  // A spec is about one thing, and what several specs need is in test/support/, once.
  {
    files: ['test/**/*.ts', '**/*.spec.ts'],
    rules: { 'max-lines': ['error', { max: 600 }] },
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/support/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'Program > VariableDeclaration > VariableDeclarator[id.name=/^(?:propsOf|itemsOf|errorOf|codeOf|idOf|idsOf|refusal|failure|times|BASE_PROPS|ISO_DATE)$/]',
          message: 'Import it from test/support/ (answers.ts, times.ts, values.ts).',
        },
      ],
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: {
        console: 'readonly',
        process: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        module: 'writable',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        globalThis: 'readonly',
      },
    },
  },
  // The TypeORM CLI and Jest read default exports.
  {
    files: ['ormconfig.ts', 'test/support/global-*.mjs', 'eslint.config.mjs'],
    rules: { 'no-restricted-exports': 'off' },
  },
);
