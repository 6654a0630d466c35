import type { ServedKind } from './served-kind.js';
import type { KindOperation } from '../../openapi-model/operation.decorator.js';
import {
  changeOpenness,
  choiceOpenness,
  createOpenness,
  listOpenness,
  type Openness,
  relationOpenness,
} from '../access/openness.js';
import { withArticle } from '../../common/article.js';
import { type LinkedKind, segmentOf } from '../schema/kind-graph.js';
import { createExample, updateExample } from './schemas.js';

/*
 * The standard routes as operations, for any kind. What the declaration closes to everybody is no operation.
 */

/** What a body may be refused for. */
const BODY_ERRORS = ['tooLarge', 'unsupportedType', 'missing', 'invalid'] as const;

const named = (name: string, example: unknown) => (example === null ? {} : { [name]: example });
const openTo = (whom: Openness, operation: Omit<KindOperation, 'session'>): KindOperation[] =>
  whom === 'nobody' ? [] : [{ ...operation, session: whom === 'everybody' ? 'optional' : 'needed' }];
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const one = ({ kind }: LinkedKind) => withArticle(kind);

/** `GET /<kinds>`. */
export const listOperation = ({ kind }: ServedKind): KindOperation[] =>
  openTo(listOpenness(kind), {
    id: `list${kind.kind}s`,
    summary: `List ${kind.kind} records`,
    description: 'Those that you may see, with what you may see of them.',
    answer: { list: kind.kind },
    errors: ['forbidden', 'invalid'],
  });

/** `GET /<kinds>/options`. */
export const optionsOperation = ({ kind }: ServedKind): KindOperation[] =>
  openTo(choiceOpenness(kind), {
    id: `list${kind.kind}Options`,
    summary: `List the choices for the props of ${one(kind)}`,
    description: 'Of enumerated props, and of those that list what is there just now.',
    answer: { options: kind.kind },
    errors: ['forbidden'],
  });

/** `GET /<kinds>/:id`. */
export const readOperation = ({ kind }: ServedKind): KindOperation[] =>
  openTo(listOpenness(kind), {
    id: `read${kind.kind}`,
    summary: `Read ${one(kind)}`,
    description: 'With what you may see of it; one that you may not see at all is not found.',
    answer: { record: kind.kind },
    errors: ['notFound', 'invalid'],
  });

/** `POST /<kinds>`. */
export const createOperation = ({ kind, service }: ServedKind): KindOperation[] =>
  openTo(createOpenness(kind), {
    id: `create${kind.kind}`,
    summary: `Create ${one(kind)}`,
    description: 'Props that are unknown, or that you may not set, are left out with a warning.',
    body: { schema: { create: kind.kind }, examples: named('create', createExample(kind)) },
    answer: { record: kind.kind, created: true },
    errors: ['forbidden', 'conflict', ...BODY_ERRORS, ...(service.schemas.writeErrors ?? [])],
  });

/** `PUT /<kinds>/:id`. */
export const updateOperation = ({ kind, service }: ServedKind): KindOperation[] =>
  openTo(changeOpenness(kind), {
    id: `update${kind.kind}`,
    summary: `Change ${one(kind)}`,
    description: 'Only owners may. What the body leaves out stays; the answer is the whole record.',
    body: { schema: { update: kind.kind }, examples: named('update', updateExample(kind)) },
    answer: { record: kind.kind },
    conditional: true,
    errors: ['forbidden', 'notFound', 'conflict', ...BODY_ERRORS, ...(service.schemas.writeErrors ?? [])],
  });

/** `DELETE /<kinds>/:id`. */
export const removeOperation = ({ kind }: ServedKind): KindOperation[] =>
  openTo(changeOpenness(kind), {
    id: `delete${kind.kind}`,
    summary: `Delete ${one(kind)}`,
    description: 'Only owners may; the answer is the record as it was.',
    answer: { record: kind.kind },
    conditional: true,
    errors: ['forbidden', 'notFound', 'conflict', 'invalid'],
  });

/** One operation for each relation that somebody may see. */
export const relationOperations = ({ kind }: ServedKind): KindOperation[] =>
  [...kind.parents, ...kind.children].flatMap(([name, relation]) => {
    const isList = 'foreignProp' in relation;
    return openTo(relationOpenness(relation, kind), {
      id: `${isList ? 'list' : 'read'}${kind.kind}${capital(name)}`,
      summary: `${isList ? 'List' : 'Read'} the ${name} of ${one(kind)}`,
      description: isList
        ? 'Those that you may see, with what you may see of them.'
        : 'With what you may see of it.',
      relation: segmentOf(name),
      answer: isList ? { list: relation.kind.kind } : { record: relation.kind.kind },
      errors: ['forbidden', 'notFound', 'invalid'],
    });
  });
