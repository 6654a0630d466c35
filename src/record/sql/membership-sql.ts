import { membershipProps } from '../access/ownership.js';
import type { LinkedKind, LinkedMembership } from '../schema/kind-graph.js';
import { columnOf, type PropDef } from '../schema/prop.js';
import { notClosed } from './not-closed.js';

/*
 * Memberships in statements: those of a user, and whether a user has one of a record.
 */

/** Separates the id of a record from the role there. */
export const ROLE_SEPARATOR = ':';

/**
 * SQL of the memberships of a user that hold now, the newest `max`, as a JSON array of record ids: each with the role
 * behind a {@link ROLE_SEPARATOR}, where the kind has one.
 * @param user the SQL of the user's row id
 */
export function membershipsOf(kind: LinkedKind, user: string, max: number): string {
  const props = propsOf(kind);
  const role = props.role ? ` || coalesce('${ROLE_SEPARATOR}' || ${column(props.role)}, '')` : '';
  const held = `SELECT ${column(props.record)}::text${role} FROM "${kind.table}" m WHERE ${conditions(kind, props, user)}`;
  return `to_json(ARRAY(${held} ORDER BY m.id DESC LIMIT ${max}))`;
}

/**
 * SQL that is true where a user has a membership of a record that holds now.
 * @param record the SQL of the record's row id
 * @param roles the SQL of an array of the roles that count; null: any
 */
export function isMember(kind: LinkedKind, user: string, record: string, roles: string | null): string {
  const props = propsOf(kind);
  const counts = roles !== null && props.role ? ` AND ${column(props.role)}::text = ANY(${roles})` : '';
  return `EXISTS (SELECT FROM "${kind.table}" m WHERE ${conditions(kind, props, user)} AND ${column(props.record)} = ${record}${counts})`;
}

function conditions(
  kind: LinkedKind,
  { user: member, accepted, until }: LinkedMembership,
  user: string,
): string {
  return [
    `${column(member)} = ${user}`,
    ...(accepted ? [column(accepted)] : []),
    ...(until ? [`(${column(until)} IS NULL OR ${column(until)} > now())`] : []),
    notClosed(kind.table, 'm.id'),
  ].join(' AND ');
}

function propsOf(kind: LinkedKind): LinkedMembership {
  const props = membershipProps(kind);
  if (!props) throw new Error(`${kind.kind} is no kind of memberships.`);
  return props;
}

const column = (prop: PropDef): string => `m."${columnOf(prop)}"`;
