import type { KindValues } from '../../record/schema/kind-values.js';

/** Runs that wait: no other state goes without times. */
export const VALUES: KindValues = { kind: 'CronRun', props: { status: () => 'queued' } };
