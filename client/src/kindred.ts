import createClient, { type Client } from 'openapi-fetch';
import { KindredError } from './kindred-error.js';
import { API_VERSION, type paths } from './schema.js';
import { SessionCookie } from './session-cookie.js';
import type {
  AnswerOf,
  ImportPath,
  InitArgument,
  InitOf,
  ItemOf,
  ListPath,
  Method,
  PathOf,
  PathParameters,
  RecordOf,
  Schemas,
} from './types.js';
import { describeUpload, sendBytes, type UploadSource } from './upload.js';

export { KindredError, type ErrorCode, type Warning } from './kindred-error.js';
export type { AnswerOf, InitOf, ItemOf, KindName, ListPath, PathOf, RecordOf, Schemas } from './types.js';
export type { UploadSource } from './upload.js';

/** What a session is begun with: an API key and its secret, or a username or e-mail address and the password. */
export type Credentials = InitOf<'/sessions', 'post'>['body'];

export interface KindredOptions {
  /** Instead of the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** The most items that a page may have. */
const LARGEST_PAGE = 100;

/**
 * A Kindred service, for Node.js and browsers. One object is one session. Paths are those of the API without its prefix;
 * the types of what they take and answer are made from the service's own description.
 */
export class Kindred {
  /** openapi-fetch's own client with the same session, for whoever wants the answer's headers too. It throws as well. */
  readonly api: Client<paths>;
  private readonly cookie = new SessionCookie();
  private readonly send: (request: Request) => Promise<Response>;

  /** @param address where the service is, such as `https://api.example.com`; in its own pages `location.origin` */
  constructor(address: string, options: KindredOptions = {}) {
    this.send = options.fetch ?? ((request) => fetch(request));
    const baseUrl = `${address.replace(/(?<!\/)\/+$/, '')}/api/${API_VERSION}`;
    this.api = createClient<paths>({ baseUrl, fetch: this.send, credentials: 'include' });
    this.api.use({
      onRequest: ({ request }) => {
        const { header } = this.cookie;
        if (header !== null) request.headers.set('cookie', header);
      },
      onResponse: async ({ response }) => {
        this.cookie.take(response.headers);
        if (!response.ok) throw await KindredError.of(response);
      },
    });
  }

  get<P extends PathOf<'get'>>(path: P, ...init: InitArgument<P, 'get'>): Promise<AnswerOf<P, 'get'>> {
    return this.call('get', path, init[0]);
  }

  post<P extends PathOf<'post'>>(path: P, ...init: InitArgument<P, 'post'>): Promise<AnswerOf<P, 'post'>> {
    return this.call('post', path, init[0]);
  }

  put<P extends PathOf<'put'>>(path: P, ...init: InitArgument<P, 'put'>): Promise<AnswerOf<P, 'put'>> {
    return this.call('put', path, init[0]);
  }

  delete<P extends PathOf<'delete'>>(
    path: P,
    ...init: InitArgument<P, 'delete'>
  ): Promise<AnswerOf<P, 'delete'>> {
    return this.call('delete', path, init[0]);
  }

  /** Begins a session; whatever this object calls from then on, it calls as that user. */
  login(credentials: Credentials): Promise<RecordOf<'Session'>> {
    return this.post('/sessions', { body: credentials });
  }

  /** Ends the session. */
  logout(): Promise<RecordOf<'Session'>> {
    return this.delete('/sessions');
  }

  /**
   * Walks all pages of a list, record by record. Each page is asked for when it is needed, so what is deleted meanwhile
   * can move a record to a page that was there already; what is created comes last in the order of creation.
   */
  async *pages<P extends ListPath>(
    path: P,
    ...init: InitArgument<P, 'get'>
  ): AsyncGenerator<ItemOf<P>, void> {
    const given = (init[0] ?? {}) as { params?: { query?: object } };
    for (let page = 1, last = 1; page <= last; page++) {
      const query = { itemsPerPage: LARGEST_PAGE, ...given.params?.query, page };
      const answer = (await this.call('get', path, { ...given, params: { ...given.params, query } })) as {
        paging: Schemas['Kindred.Paging'];
        items: ItemOf<P>[];
      };
      yield* answer.items;
      last = answer.paging.totalPages;
    }
  }

  /** The first two steps of an upload: describes the file and sends its bytes. Its `props.id` is what an import takes. */
  async upload(source: UploadSource): Promise<Schemas['ObjectFile.Created']> {
    const file = await this.post('/objectfiles', { body: describeUpload(source) });
    await sendBytes(file, source, this.send);
    return file;
  }

  /** All three steps: uploads the file and makes it part of a record. Answers the record. */
  async uploadInto<P extends ImportPath>(
    path: P,
    parameters: PathParameters<P, 'put'>,
    source: UploadSource,
  ): Promise<AnswerOf<P, 'put'>> {
    const { props } = await this.upload(source);
    return this.call('put', path, { params: { path: parameters }, body: { objectFileId: props.id } });
  }

  /** The typed methods above say what goes in and comes out; here it is only passed on. */
  private async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    init: object | undefined,
  ): Promise<AnswerOf<P, M>> {
    const request = this.api.request as (
      method: string,
      path: string,
      init?: object,
    ) => Promise<{ data: unknown }>;
    return (await request(method, path, init)).data as AnswerOf<P, M>;
  }
}
