import type { Source } from '../http/send-bytes.js';
import type { FileStorage } from './file-storage.js';

/** A source of the bytes of a stored object. */
export function objectSource(storage: FileStorage, key: string): Source {
  return { size: () => storage.size(key), read: (range) => storage.read(key, range) };
}
