import type { KindValues } from '../../src/record/schema/kind-values.js';

export const VALUES: KindValues = {
  kind: 'DummyBooking',
  props: {
    code: (n) => `B-${n}`,
    starts: (n) => new Date(Date.UTC(2031, 0, 1 + (n % 900))).toISOString(),
    ends: (n) => new Date(Date.UTC(2041, 0, 1 + (n % 900))).toISOString(),
  },
};
