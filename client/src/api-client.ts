import createClient, { type Client } from 'openapi-fetch';
import { KindredError } from './kindred-error.js';
import { SessionCookie } from './session-cookie.js';
import type {
  AnswerOf,
  Api,
  CredentialsOf,
  ImportPath,
  InitArgument,
  ItemOf,
  ListPath,
  Method,
  PathOf,
  PathParameters,
  SchemaOf,
  Schemas,
} from './types.js';
import { describeUpload, sendBytes, type UploadSource } from './upload.js';

/** Options of the client, for tests and unusual environments. */
export interface KindredOptions {
  /** Instead of the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** What the steps of an upload need to know of its file, in every version. */
type Described = Schemas['ObjectFile.Created'];

/** The most items that a page may have. */
const LARGEST_PAGE = 100;

/**
 * A version of the API of a Kindred service, for Node.js and browsers. One object is one session. Paths are those of the API
 * without its prefix; the types of what they take and answer are made from the service's own description.
 */
export abstract class ApiClient<A extends Api> {
  /** openapi-fetch's own client with the same session, for whoever wants the answer's headers too. It throws as well. */
  readonly api: Client<A['paths']>;
  private readonly cookie = new SessionCookie();
  private readonly send: (request: Request) => Promise<Response>;

  protected constructor(version: string, address: string, options: KindredOptions = {}) {
    this.send = options.fetch ?? ((request) => fetch(request));
    const baseUrl = `${address.replace(/(?<!\/)\/+$/, '')}/api/${version}`;
    this.api = createClient<A['paths']>({ baseUrl, fetch: this.send, credentials: 'include' });
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

  get<P extends PathOf<'get', A>>(
    path: P,
    ...init: InitArgument<P, 'get', A>
  ): Promise<AnswerOf<P, 'get', A>> {
    return this.ask('get', path, init[0]);
  }

  post<P extends PathOf<'post', A>>(
    path: P,
    ...init: InitArgument<P, 'post', A>
  ): Promise<AnswerOf<P, 'post', A>> {
    return this.ask('post', path, init[0]);
  }

  put<P extends PathOf<'put', A>>(
    path: P,
    ...init: InitArgument<P, 'put', A>
  ): Promise<AnswerOf<P, 'put', A>> {
    return this.ask('put', path, init[0]);
  }

  delete<P extends PathOf<'delete', A>>(
    path: P,
    ...init: InitArgument<P, 'delete', A>
  ): Promise<AnswerOf<P, 'delete', A>> {
    return this.ask('delete', path, init[0]);
  }

  /** Begins a session; whatever this object calls from then on, it calls as that user. */
  login(credentials: CredentialsOf<A>): Promise<SchemaOf<'Session.Record', A>> {
    return this.ask('post', '/sessions', { body: credentials });
  }

  /** Ends the session. */
  logout(): Promise<SchemaOf<'Session.Record', A>> {
    return this.ask('delete', '/sessions');
  }

  /**
   * Walks all pages of a list, record by record. Each page is asked for when it is needed, so what is deleted meanwhile
   * can move a record to a page that was there already; what is created comes last in the order of creation.
   */
  async *pages<P extends ListPath<A>>(
    path: P,
    ...init: InitArgument<P, 'get', A>
  ): AsyncGenerator<ItemOf<P, A>, void> {
    const given = (init[0] ?? {}) as { params?: { query?: object } };
    for (let page = 1, last = 1; page <= last; page++) {
      const query = { itemsPerPage: LARGEST_PAGE, ...given.params?.query, page };
      const answer = await this.ask<{ paging: { totalPages: number }; items: ItemOf<P, A>[] }>('get', path, {
        ...given,
        params: { ...given.params, query },
      });
      yield* answer.items;
      last = answer.paging.totalPages;
    }
  }

  /** The first two steps of an upload: describes the file and sends its bytes. Its `props.id` is what an import takes. */
  async upload(source: UploadSource): Promise<SchemaOf<'ObjectFile.Created', A>> {
    const file = await this.ask<Described>('post', '/objectfiles', { body: describeUpload(source) });
    await sendBytes(file, source, this.send);
    return file as SchemaOf<'ObjectFile.Created', A>;
  }

  /** All three steps: uploads the file and makes it part of a record. Answers the record. */
  async uploadInto<P extends ImportPath<A>>(
    path: P,
    parameters: PathParameters<P, 'put', A>,
    source: UploadSource,
  ): Promise<AnswerOf<P, 'put', A>> {
    const { props } = (await this.upload(source)) as Described;
    return this.ask('put', path, { params: { path: parameters }, body: { objectFileId: props.id } });
  }

  /** The typed methods above say what goes in and comes out; here it is only passed on. */
  private async ask<T>(method: Method, path: PropertyKey, init?: object): Promise<T> {
    const request = this.api.request as (
      method: string,
      path: PropertyKey,
      init?: object,
    ) => Promise<{ data: unknown }>;
    return (await request(method, path, init)).data as T;
  }
}
