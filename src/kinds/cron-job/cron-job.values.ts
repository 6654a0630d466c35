import type { KindValues } from '../../record/schema/kind-values.js';

/** A job names a handler that there is. */
export const VALUES: KindValues = {
  kind: 'CronJob',
  props: { handler: () => 'Test', params: (n) => ({ n }) },
};
