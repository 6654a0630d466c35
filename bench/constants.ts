/*
 * What several files must agree on. It imports nothing, so that the reference's process holds nothing of the service's
 * code that it does not need.
 */

/** Values of an article's status. */
export const STATUSES = ['draft', 'published', 'archived'] as const;
/** How many users there are. */
export const USERS = 1000;

export const ARTICLES = '/api/v1/dummyarticles';
/** Where the reference answers lists whose total it has not counted. */
export const UNCOUNTED = '/uncounted/dummyarticles';
export const WHOAMI = '/api/v1/users/whoami';
export const SESSIONS = '/api/v1/sessions';
