import { SetMetadata } from '@nestjs/common';

/**
 * Who may call a route:
 * - `open`: anyone; the session cookie is ignored;
 * - `login`: a session is needed;
 * - `kind`: the declaration of the record kind decides (`view`, `create`, `owner`).
 */
export type AccessLevel = 'open' | 'login' | 'kind';

/** The metadata key that {@link Access} writes and the session guard reads with Nest's `Reflector`. */
export const ACCESS_KEY = 'kindred:access';

/** Declares who may call a handler, or every handler of a controller; the handler's own declaration wins. */
export const Access = (level: AccessLevel) => SetMetadata(ACCESS_KEY, level);
