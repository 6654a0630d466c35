import type { FetchOptions } from 'openapi-fetch';
import type {
  FilterKeys,
  PathsWithMethod,
  RequiredKeysOf,
  SuccessResponseJSON,
} from 'openapi-typescript-helpers';
import type * as v1 from './schema.js';

/** The types of a version of the API, as a file such as `schema.ts` has them. */
export interface Api {
  readonly paths: object;
  readonly components: { readonly schemas: object };
}

/** Version 1: what the types below are about unless another version is given. */
export interface V1 {
  readonly paths: v1.paths;
  readonly components: v1.components;
}

/** The methods of the API. */
export type Method = 'get' | 'put' | 'post' | 'delete';

/** The paths that have a method, such as `/users/{id}`. */
export type PathOf<M extends Method, A extends Api = V1> = PathsWithMethod<A['paths'], M> & keyof A['paths'];

/** What a call takes: `params` (`query`, `path`, `header`), `body`, and what `fetch` takes, such as `signal`. */
export type InitOf<P extends keyof A['paths'], M extends Method, A extends Api = V1> = FetchOptions<
  FilterKeys<A['paths'][P], M>
>;

/** {@link InitOf} as an argument, which may be left out where nothing in it is needed. */
export type InitArgument<P extends keyof A['paths'], M extends Method, A extends Api = V1> =
  RequiredKeysOf<InitOf<P, M, A>> extends never ? [init?: InitOf<P, M, A>] : [init: InitOf<P, M, A>];

/** What a call answers. */
export type AnswerOf<P extends keyof A['paths'], M extends Method, A extends Api = V1> = SuccessResponseJSON<
  Extract<FilterKeys<A['paths'][P], M>, object>
>;

/** The schemas of the API by name: `User` (props), `User.Record`, `User.Create`, `User.List` … */
export type Schemas<A extends Api = V1> = A['components']['schemas'];

/** One of them; never where the version has none of that name. */
export type SchemaOf<Name extends string, A extends Api = V1> = Name extends keyof Schemas<A>
  ? Schemas<A>[Name]
  : never;

/** The kinds whose records the API answers. */
export type KindName<A extends Api = V1> = {
  [Name in keyof Schemas<A>]: Name extends `${infer Kind}.Record` ? Kind : never;
}[keyof Schemas<A>];

/** A record in an answer. */
export type RecordOf<Kind extends KindName<A>, A extends Api = V1> = SchemaOf<`${Kind}.Record`, A>;

/** What a session is begun with: an API key and its secret, or a username or e-mail address and the password. */
export type CredentialsOf<A extends Api = V1> = '/sessions' extends keyof A['paths']
  ? InitOf<'/sessions', 'post', A> extends { body: infer Body }
    ? Body
    : never
  : never;

/** The paths whose answers are pages. */
export type ListPath<A extends Api = V1> = {
  [P in PathOf<'get', A>]: AnswerOf<P, 'get', A> extends { paging: unknown; items: unknown[] } ? P : never;
}[PathOf<'get', A>];

/** One record of the pages of a path. */
export type ItemOf<P extends keyof A['paths'], A extends Api = V1> =
  AnswerOf<P, 'get', A> extends { items: (infer Item)[] } ? Item : never;

/** The paths that make an uploaded file part of a record. */
export type ImportPath<A extends Api = V1> = {
  [P in PathOf<'put', A>]: InitOf<P, 'put', A> extends { body: { objectFileId: string } } ? P : never;
}[PathOf<'put', A>];

/** The path parameters of a path. */
export type PathParameters<P extends keyof A['paths'], M extends Method, A extends Api = V1> =
  InitOf<P, M, A> extends { params: { path: infer Parameters } } ? Parameters : never;
