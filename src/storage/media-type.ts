/**
 * The type and subtype of a media type, in lower case and without its parameters (RFC 9110 §8.3.1): two that differ in
 * these alone name one format.
 */
export function essenceOf(mediaType: string): string {
  const [essence = ''] = mediaType.split(';', 1);
  return essence.trim().toLowerCase();
}
