import type { ServedKind } from './served-kind.js';
import type { KindOperation } from '../../openapi-model/operation.decorator.js';
import { viewersOf } from '../access/access.js';
import { withArticle } from '../../common/article.js';
import { type LinkedKind, segmentOf } from '../schema/kind-graph.js';
import { createExample, updateExample } from './schemas.js';
import type { Who } from '../schema/prop.js';

/*
 * The standard routes as operations, for any kind. What the declaration closes to everybody is no operation.
 */

/** What a body may be refused for. */
const BODY_ERRORS = ['tooLarge', 'unsupportedType', 'missing', 'invalid'] as const;

const named = (name: string, example: unknown) => (example === null ? {} : { [name]: example });
const where = (isOpen: boolean, operation: KindOperation): KindOperation[] => (isOpen ? [operation] : []);
const sessionFor = (who: Who): KindOperation['session'] => (who.includes('public') ? 'optional' : 'needed');
const isWritten = (kind: LinkedKind) => !kind.readOnly && kind.owner.length > 0;
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const one = ({ kind }: LinkedKind) => withArticle(kind);

export const listOperation = ({ kind }: ServedKind): KindOperation[] =>
  where(kind.view.length > 0, {
    id: `list${kind.kind}s`,
    summary: `List ${kind.kind} records`,
    description: 'Those that you may see, with what you may see of them.',
    session: sessionFor(kind.view),
    answer: { list: kind.kind },
    errors: ['forbidden', 'invalid'],
  });

export const optionsOperation = ({ kind }: ServedKind): KindOperation[] =>
  where(kind.view.length + kind.create.length > 0, {
    id: `list${kind.kind}Options`,
    summary: `List the choices for the props of ${one(kind)}`,
    description: 'Of enumerated props, and of those that list what is there just now.',
    session: sessionFor([...kind.view, ...kind.create]),
    answer: { options: kind.kind },
    errors: ['forbidden'],
  });

export const readOperation = ({ kind }: ServedKind): KindOperation[] =>
  where(kind.view.length > 0, {
    id: `read${kind.kind}`,
    summary: `Read ${one(kind)}`,
    description: 'With what you may see of it; one that you may not see at all is not found.',
    session: sessionFor(kind.view),
    answer: { record: kind.kind },
    errors: ['notFound', 'invalid'],
  });

export const createOperation = ({ kind, service }: ServedKind): KindOperation[] =>
  where(kind.create.length > 0, {
    id: `create${kind.kind}`,
    summary: `Create ${one(kind)}`,
    description: 'Props that are unknown, or that you may not set, are left out with a warning.',
    session: sessionFor(kind.create),
    body: { schema: { create: kind.kind }, examples: named('create', createExample(kind)) },
    answer: { record: kind.kind, created: true },
    errors: ['forbidden', 'conflict', ...BODY_ERRORS, ...(service.schemas.writeErrors ?? [])],
  });

export const updateOperation = ({ kind, service }: ServedKind): KindOperation[] =>
  where(isWritten(kind), {
    id: `update${kind.kind}`,
    summary: `Change ${one(kind)}`,
    description: 'Only owners may. What the body leaves out stays; the answer is the whole record.',
    session: 'needed',
    body: { schema: { update: kind.kind }, examples: named('update', updateExample(kind)) },
    answer: { record: kind.kind },
    conditional: true,
    errors: ['forbidden', 'notFound', 'conflict', ...BODY_ERRORS, ...(service.schemas.writeErrors ?? [])],
  });

export const removeOperation = ({ kind }: ServedKind): KindOperation[] =>
  where(isWritten(kind), {
    id: `delete${kind.kind}`,
    summary: `Delete ${one(kind)}`,
    description: 'Only owners may; the answer is the record as it was.',
    session: 'needed',
    answer: { record: kind.kind },
    conditional: true,
    errors: ['forbidden', 'notFound', 'conflict', 'invalid'],
  });

/** One operation for each relation that somebody may see. */
export const relationOperations = ({ kind }: ServedKind): KindOperation[] =>
  [...kind.parents, ...kind.children]
    .filter(([, { prop }]) => viewersOf(prop).length > 0)
    .map(([name, relation]) => {
      const isList = 'foreignProp' in relation;
      const isPublic = kind.view.includes('public') && viewersOf(relation.prop).includes('public');
      return {
        id: `${isList ? 'list' : 'read'}${kind.kind}${capital(name)}`,
        summary: `${isList ? 'List' : 'Read'} the ${name} of ${one(kind)}`,
        description: isList
          ? 'Those that you may see, with what you may see of them.'
          : 'With what you may see of it.',
        relation: segmentOf(name),
        session: isPublic ? 'optional' : 'needed',
        answer: isList ? { list: relation.kind.kind } : { record: relation.kind.kind },
        errors: ['forbidden', 'notFound', 'invalid'],
      };
    });
