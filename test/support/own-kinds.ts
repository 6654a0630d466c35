import { KINDS, VERSIONS } from '../../src/app.module.js';

const BUILT_IN = ['ApiKeyModule', 'CronJobModule', 'CronRunModule', 'ObjectFileModule', 'UserModule'];

/** Whether the project has only the kinds that Kindred comes with, in one version of the API. */
export const isAsItCame = VERSIONS.length === 0 && KINDS.every(({ name }) => BUILT_IN.includes(name));
