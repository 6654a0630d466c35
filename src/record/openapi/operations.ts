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
import { withArticle } from '../../common/indefinite-article.js';
import { type KindGraph, type LinkedKind, segmentOf } from '../schema/kind-graph.js';
import { createExample, updateExample } from './schemas.js';

/*
 * The standard routes of any kind as operations. Routes that the declaration closes to everybody are left out.
 */

/** Errors of requests with a body. */
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
    description: 'The records that you may see, with the props that you may see.',
    response: { list: kind.kind },
    errors: ['forbidden', 'invalid'],
  });

/** `GET /<kinds>/options`. */
export const optionsOperation = ({ kind }: ServedKind): KindOperation[] =>
  openTo(choiceOpenness(kind), {
    id: `list${kind.kind}Options`,
    summary: `List the choices for the props of ${one(kind)}`,
    description: 'The choices of enumerated props, and of props with a list that depends on current data.',
    response: { options: kind.kind },
    errors: ['forbidden'],
  });

/** `GET /<kinds>/:id`. */
export const readOperation = ({ kind }: ServedKind): KindOperation[] =>
  openTo(listOpenness(kind), {
    id: `read${kind.kind}`,
    summary: `Read ${one(kind)}`,
    description: 'The record with the props that you may see. A record that you may not see at all is 404.',
    response: { record: kind.kind },
    errors: ['notFound', 'invalid'],
  });

/** `POST /<kinds>`. */
export const createOperation = ({ kind, service }: ServedKind): KindOperation[] =>
  openTo(createOpenness(kind), {
    id: `create${kind.kind}`,
    summary: `Create ${one(kind)}`,
    description: 'Unknown props, and props that you may not set, are ignored with a warning.',
    body: { schema: { create: kind.kind }, examples: named('create', createExample(kind)) },
    response: { record: kind.kind, created: true },
    errors: ['forbidden', 'conflict', ...BODY_ERRORS, ...(service.schemas.writeErrors ?? [])],
  });

/** `PUT /<kinds>/:id`. */
export const updateOperation = ({ kind, service }: ServedKind): KindOperation[] =>
  openTo(changeOpenness(kind), {
    id: `update${kind.kind}`,
    summary: `Change ${one(kind)}`,
    description: 'Only for owners. Props that the body leaves out stay. The answer is the whole record.',
    body: { schema: { update: kind.kind }, examples: named('update', updateExample(kind)) },
    response: { record: kind.kind },
    conditional: true,
    errors: ['forbidden', 'notFound', 'conflict', ...BODY_ERRORS, ...(service.schemas.writeErrors ?? [])],
  });

/** `DELETE /<kinds>/:id`. */
export const removeOperation = ({ kind }: ServedKind): KindOperation[] =>
  openTo(changeOpenness(kind), {
    id: `delete${kind.kind}`,
    summary: `Delete ${one(kind)}`,
    description: 'Only for owners. The answer is the record as it was.',
    response: { record: kind.kind },
    conditional: true,
    errors: ['forbidden', 'notFound', 'conflict', 'invalid'],
  });

/** The members of a Team are `listTeamMembers`, unless there is a kind TeamMember, whose list is called so. */
function relationId(verb: 'list' | 'read', { kind }: LinkedKind, name: string, graph: KindGraph): string {
  const id = `${verb}${kind}${capital(name)}`;
  const isTaken = graph
    .all()
    .some((one) => [`list${one.kind}s`, `list${one.kind}Options`, `read${one.kind}`].includes(id));
  return isTaken ? `${verb}${capital(name)}Of${kind}` : id;
}

/** One operation for each relation that somebody may see. */
export const relationOperations = ({ kind, graph }: ServedKind): KindOperation[] =>
  [...kind.parents, ...kind.children].flatMap(([name, relation]) => {
    const isList = 'foreignProp' in relation;
    return openTo(relationOpenness(relation, kind), {
      id: relationId(isList ? 'list' : 'read', kind, name, graph),
      summary: `${isList ? 'List' : 'Read'} the ${name} of ${one(kind)}`,
      description: isList
        ? 'The records that you may see, with the props that you may see.'
        : 'The record with the props that you may see.',
      relation: segmentOf(name),
      response: isList ? { list: relation.kind.kind } : { record: relation.kind.kind },
      errors: ['forbidden', 'notFound', 'invalid'],
    });
  });
