import type { KindValues } from '../../src/record/schema/kind-values.js';

export const VALUES: KindValues = { kind: 'DummyTicket', written: false };
