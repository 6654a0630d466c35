/** SQL that is true unless `id` is that of a closed record of a table: where that must hold on all instances at once. */
export function notClosed(table: string, id: string): string {
  return `NOT EXISTS (SELECT FROM record_removals r WHERE r.path = '${table}' AND r.id = ${id})`;
}
