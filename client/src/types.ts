import type { FetchOptions } from 'openapi-fetch';
import type {
  FilterKeys,
  PathsWithMethod,
  RequiredKeysOf,
  SuccessResponseJSON,
} from 'openapi-typescript-helpers';
import type { components, paths } from './schema.js';

/** The methods of the API. */
export type Method = 'get' | 'put' | 'post' | 'delete';

/** The paths that have a method, such as `/users/{id}`. */
export type PathOf<M extends Method> = PathsWithMethod<paths, M>;

/** What a call takes: `params` (`query`, `path`, `header`), `body`, and what `fetch` takes, such as `signal`. */
export type InitOf<P extends keyof paths, M extends Method> = FetchOptions<FilterKeys<paths[P], M>>;

/** {@link InitOf} as an argument, which may be left out where nothing in it is needed. */
export type InitArgument<P extends keyof paths, M extends Method> =
  RequiredKeysOf<InitOf<P, M>> extends never ? [init?: InitOf<P, M>] : [init: InitOf<P, M>];

/** What a call answers. */
export type AnswerOf<P extends keyof paths, M extends Method> = SuccessResponseJSON<
  Extract<FilterKeys<paths[P], M>, object>
>;

/** The schemas of the API by name: `User` (props), `User.Record`, `User.Create`, `User.List` … */
export type Schemas = components['schemas'];

/** The kinds whose records the API answers. */
export type KindName = {
  [Name in keyof Schemas]: Name extends `${infer Kind}.Record` ? Kind : never;
}[keyof Schemas];

/** A record in an answer. */
export type RecordOf<Kind extends KindName> = Schemas[`${Kind}.Record`];

/** The paths whose answers are pages. */
export type ListPath = {
  [P in PathOf<'get'>]: AnswerOf<P, 'get'> extends { paging: unknown; items: unknown[] } ? P : never;
}[PathOf<'get'>];

/** One record of the pages of a path. */
export type ItemOf<P extends ListPath> = AnswerOf<P, 'get'> extends { items: (infer Item)[] } ? Item : never;

/** The paths that make an uploaded file part of a record. */
export type ImportPath = {
  [P in PathOf<'put'>]: InitOf<P, 'put'> extends { body: { objectFileId: string } } ? P : never;
}[PathOf<'put'>];

/** The path parameters of a path. */
export type PathParameters<P extends keyof paths, M extends Method> =
  InitOf<P, M> extends { params: { path: infer Parameters } } ? Parameters : never;
