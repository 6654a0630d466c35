/** What the paths of all versions of the API begin with. */
export const API_PREFIX = '/api/';

/** The version that everything belongs to which does not say another. */
export const FIRST_VERSION = 'v1';

/** What the name of a version is. */
export const VERSION_NAME = /^v[1-9]\d{0,3}$/;

/** `v2` → 2: versions are ordered by it. */
export const versionNumber = (version: string): number => Number(version.slice(1));

/** Where a version has its paths: `/api/v1`. */
export const basePathOf = (version: string): string => API_PREFIX + version;
