/** Texts of this length are encoded once, here. Otherwise Node would copy them two more times. */
const LARGE = 4096;

/** The JSON text of a response in the form in which Fastify should send it. */
export function payloadOf(text: string): string {
  // Fastify sends a Buffer as it is, but its types allow only texts.
  return text.length < LARGE ? text : (Buffer.from(text) as unknown as string);
}
