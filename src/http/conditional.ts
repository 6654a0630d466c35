/** An entity tag (RFC 9110 §8.8.3): its opaque part without the quotes. */
export interface EntityTag {
  readonly weak: boolean;
  readonly opaque: string;
}

/** One element of a list of entity tags, with the comma and the white space before it. */
const ELEMENT = /[ \t,]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?=,|$)/y;

/** The tags that `If-Match` or `If-None-Match` lists, as far as they are well formed; `*` stands for any. */
export function entityTags(header: string): readonly EntityTag[] | '*' {
  if (header.trim() === '*') return '*';
  const tags: EntityTag[] = [];
  ELEMENT.lastIndex = 0;
  for (let found = ELEMENT.exec(header); found; found = ELEMENT.exec(header)) {
    tags.push({ weak: found[1] !== undefined, opaque: found[2] ?? '' });
  }
  return tags;
}

/** Whether a client that sends this `If-None-Match` has the version `etag` already: a weak comparison (RFC 9110 §13.1.2). */
export function matchesNone(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = entityTags(ifNoneMatch);
  const quoted = etag.replace(/^W\//, '');
  return tags === '*' || tags.some(({ opaque }) => `"${opaque}"` === quoted);
}
