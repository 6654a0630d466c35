import type { ItemOf, Kindred, RecordOf } from '../client/src/kindred.js';

/*
 * What must and must not compile with the client. Nobody runs it: `npm run types` fails when a line that should be an
 * error is none.
 */

/** What the types allow. */
export async function compiles(kindred: Kindred): Promise<unknown[]> {
  const user: RecordOf<'User'> = await kindred.get('/users/whoami');
  const name: string | null | undefined = user.props.realName;
  const id: string = user.props.id;
  const list = await kindred.get('/apikeys', { params: { query: { search: 'a', itemsPerPage: 5 } } });
  const total: number = list.paging.totalItems;
  const item: ItemOf<'/apikeys'> | undefined = list.items[0];
  const key = await kindred.post('/apikeys', { body: { name: 'a', expiresAt: null } });
  const secret: string = key.meta.privateKey;
  // Whoever sees the record sees it; what has a default need not be said.
  const keyName: string = key.props.name;
  await kindred.post('/users', { body: { username: 'a', email: 'a@mail.test', password: 'long enough' } });
  await kindred.post('/cronjobs', { body: { schedule: '@daily', handler: 'Test' } });
  await kindred.post('/objectfiles', {
    body: { filename: 'a.png', contentType: 'image/png', sizeInBytes: 1 },
  });
  await kindred.put('/users/{id}', { params: { path: { id } }, body: { useAsDisplayName: 'email' } });
  await kindred.get('/objectfiles', { params: { query: { sizeInBytes: ['>5', 7], status: '!=ready' } } });
  for await (const file of kindred.pages('/objectfiles')) file.props.filename?.toUpperCase();
  return [name, total, item, secret, keyName];
}

/** What they refuse. */
export async function doesNotCompile(kindred: Kindred): Promise<void> {
  const user = await kindred.get('/users/whoami');
  // @ts-expect-error: no such prop
  void user.props.realname;
  // @ts-expect-error: taken in, never given out
  void user.props.password;
  // @ts-expect-error: may be absent
  user.props.realName.toUpperCase();
  // @ts-expect-error: no such path
  await kindred.get('/user/whoami');
  // @ts-expect-error: no such method
  await kindred.post('/cronruns', { body: {} });
  // @ts-expect-error: no such prop
  await kindred.post('/apikeys', { body: { name: 'a', nmae: 'a' } });
  // @ts-expect-error: a required prop is missing
  await kindred.post('/apikeys', { body: {} });
  // @ts-expect-error: nobody may set it
  await kindred.put('/apikeys/{id}', { params: { path: { id: 'v' } }, body: { lastUsedAt: null } });
  // @ts-expect-error: no such choice
  await kindred.put('/users/{id}', { params: { path: { id: 'v' } }, body: { useAsDisplayName: 'nickname' } });
  // @ts-expect-error: the path needs an id
  await kindred.get('/users/{id}');
  // @ts-expect-error: no such parameter
  await kindred.get('/apikeys', { params: { query: { serch: 'a' } } });
  // @ts-expect-error: not a prop to sort by
  await kindred.get('/users', { params: { query: { sortBy: 'password' } } });
  // @ts-expect-error: not a list
  for await (const nothing of kindred.pages('/users/whoami')) void nothing;
  // @ts-expect-error: nothing is imported there
  await kindred.uploadInto('/users/{id}', { id: 'v' }, { bytes: new Blob() });
  // @ts-expect-error: half of a login
  await kindred.login({ login: 'olive' });
}
