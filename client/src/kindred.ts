import { ApiClient, type KindredOptions } from './api-client.js';
import { API_VERSION } from './schema.js';
import type { CredentialsOf, V1 } from './types.js';

export type { KindredOptions } from './api-client.js';
export { KindredError, type ErrorCode, type Warning } from './kindred-error.js';
export type {
  AnswerOf,
  Api,
  InitOf,
  ItemOf,
  KindName,
  ListPath,
  PathOf,
  RecordOf,
  Schemas,
} from './types.js';
export type { UploadSource } from './upload.js';

/** What a session is begun with: an API key and its secret, or a username or e-mail address and the password. */
export type Credentials = CredentialsOf;

/** A Kindred service by the first version of its API, for Node.js and browsers. One object is one session. */
export class Kindred extends ApiClient<V1> {
  /** @param address where the service is, such as `https://api.example.com`; in its own pages `location.origin` */
  constructor(address: string, options: KindredOptions = {}) {
    super(API_VERSION, address, options);
  }
}
