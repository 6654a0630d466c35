import { STATUS_CODES } from 'node:http';
import { CATALOGUE, type CatalogueRow } from '../common/errors.js';
import type { Components } from './components.js';
import { type JsonSchema, objectOf } from './json-schema.js';

/*
 * Schemas that the responses of all kinds share. Their names have a prefix, because generators of clients remove dots and
 * change case, and a kind may be called Link or Error.
 */

const shared = (components: Components, name: string, make: () => JsonSchema): JsonSchema =>
  components.schema(`Kindred.${name}`, make);

/** One warning of a response. */
export const warning = (components: Components) =>
  shared(components, 'Warning', () => ({
    description: 'Something that did not stop the request.',
    ...objectOf({
      code: { type: 'integer', examples: [400] },
      message: { type: 'string', description: 'For people; it may change.' },
      data: {
        description:
          'The name of the parameter, prop or relation, or the `data` of the error with this code.',
      },
    }),
  }));

/** The warnings of a response. */
export const warnings = (components: Components): JsonSchema => ({
  type: 'array',
  description: 'What was ignored or withheld; absent if empty.',
  items: warning(components),
});

const errorSchema = (components: Components, code: readonly number[], data: JsonSchema): JsonSchema =>
  objectOf(
    {
      error: objectOf({
        code: {
          type: 'integer',
          description: 'The HTTP status, or one of three more specific codes.',
          enum: code,
        },
        message: { type: 'string', description: 'For people; it may change.' },
        data,
      }),
      warnings: {
        ...warnings(components),
        description: 'The other wrong values of the body, and what was ignored.',
      },
    },
    ['error'],
  );

/** The body of every error. */
export const error = (components: Components) =>
  shared(components, 'Error', () => ({
    description: 'Every error.',
    ...errorSchema(components, [...new Set(Object.values(CATALOGUE).map((row) => row.code))], {
      type: ['string', 'integer', 'null'],
      description: 'The prop, parameter, limit, seconds or request id in question; see the answers.',
    }),
  }));

const rowsOf = (status: number): CatalogueRow[] =>
  Object.values(CATALOGUE).filter((row) => row.status === status);

/** The response to errors of one HTTP status: the rows of the catalogue that have it. */
export function errorResponse(components: Components, status: number): object {
  return components.response(`error${status}`, () => {
    const rows = rowsOf(status);
    const headers = RESPONSE_HEADERS.get(status);
    return {
      description: rows.map(describeRow).join('\n\n'),
      headers: { ...REQUEST_ID, ...headers },
      content: {
        'application/json': {
          schema: {
            ...error(components),
            properties: {
              error: {
                properties: {
                  code: { enum: rows.map((row) => row.code) },
                  data: { type: [...new Set(rows.flatMap((row) => row.data.types))] },
                },
              },
            },
          },
        },
      },
    };
  });
}

/** The response to HTTP exceptions of one status that a route throws, and to errors of the catalogue with that status. */
export function ownErrorResponse(components: Components, status: number): object {
  return components.response(`ownError${status}`, () => {
    const rows = rowsOf(status);
    const codes = [...new Set([status, ...rows.map((row) => row.code)])];
    return {
      description: [`**${status}**: ${STATUS_CODES[status] ?? 'An error'}.`, ...rows.map(describeRow)].join(
        '\n\n',
      ),
      headers: { ...REQUEST_ID, ...RESPONSE_HEADERS.get(status) },
      content: {
        'application/json': {
          schema: errorSchema(components, codes, { description: 'What the route says beside the message.' }),
        },
      },
    };
  });
}

/** The response to errors that an operation does not list. */
export function anyError(components: Components): object {
  return components.response('error', () => ({
    description: 'Any other error.',
    headers: REQUEST_ID,
    content: { 'application/json': { schema: error(components) } },
  }));
}

/** One link of a record. */
export const link = (components: Components) =>
  shared(components, 'Link', () => ({
    description: 'Where something is, and what you may do there.',
    ...objectOf({
      href: { type: 'string', description: 'A path, from the root.' },
      methods: { type: 'array', items: { type: 'string' }, description: 'What you may do; empty: nothing.' },
      usage: { type: 'string', enum: ['rest', 'page', 'file', 'image'] },
    }),
  }));

/** The choices of one prop. */
export const optionList = (components: Components): JsonSchema => ({
  type: 'array',
  items: shared(components, 'Option', () => ({
    description: 'A choice for a prop.',
    ...objectOf({
      label: { type: 'string', description: 'For people.' },
      value: { type: 'string', description: 'The value to post.' },
    }),
  })),
});

const whole = (description: string, minimum: number): JsonSchema => ({
  type: 'integer',
  minimum,
  description,
});

/** The paging of a list. */
export const paging = (components: Components) =>
  shared(components, 'Paging', () =>
    objectOf({
      page: whole('The page that was asked for.', 1),
      nextPage: whole('The next page; on the last page, that page.', 1),
      previousPage: whole('The page before; on the first page, 1.', 1),
      itemsPerPage: whole('The most items on a page.', 1),
      totalItems: whole('The number of matching records that you may see, up to `maxItems`.', 0),
      totalPages: whole('The number of pages.', 0),
    }),
  );

const header = (description: string, schema: JsonSchema = { type: 'string' }) => ({ description, schema });

/** Headers of every response. */
export const REQUEST_ID = { 'X-Request-Id': header('The id of the request, which the log has too.') };

const RETRY = { 'Retry-After': header('Seconds to wait.', { type: 'integer' }) };
const RESPONSE_HEADERS: ReadonlyMap<number, object> = new Map<number, object>([
  [401, { 'Set-Cookie': header('Clears the cookie of a session that has ended.') }],
  [429, RETRY],
  [503, RETRY],
]);

const describeRow = ({ code, when, data }: CatalogueRow): string =>
  `**${code}**: ${when}. \`data\`: ${data.text}.`;
