/** The prefix of the paths of all versions of the API. */
export const API_PREFIX = '/api/';

/** The default version of kinds and controllers. */
export const FIRST_VERSION = 'v1';

/** The pattern of version names. */
export const VERSION_NAME = /^v[1-9]\d{0,3}$/;

/** `v2` → 2, the order of versions. */
export const versionNumber = (version: string): number => Number(version.slice(1));

/** The base path of a version: `/api/v1`. */
export const basePathOf = (version: string): string => API_PREFIX + version;
