import type { KindValues } from '../../src/record/kind-values.js';

export const VALUES: KindValues = { kind: 'DummyTicket', written: false };
