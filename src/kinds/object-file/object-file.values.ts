import type { KindValues } from '../../record/schema/kind-values.js';

/** Name, type and content of a file agree; pending ones of long ago are swept away by the service itself. */
export const VALUES: KindValues = {
  kind: 'ObjectFile',
  props: {
    filename: (n) => `w${String(n).padStart(4, '0')}.png`,
    contentType: () => 'image/png',
    status: (n) => ['ready', 'verifyFailed', 'postProcessingFailed'][n % 3],
  },
};
