/** From this many characters on an answer is encoded once, here; Node would copy its text twice more on the way. */
const LARGE = 4096;

/** The JSON text of an answer as Fastify sends it. */
export function payloadOf(text: string): string {
  // Fastify sends a Buffer as it is; its types know texts alone.
  return text.length < LARGE ? text : (Buffer.from(text) as unknown as string);
}
