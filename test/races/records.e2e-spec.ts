import { countRows } from '../support/rows.js';
import { idOf, succeeded, errorOf, propsOf } from '../support/answers.js';
import { times } from '../support/times.js';
import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { TEST_KINDS } from '../kinds/kinds.js';
import { type Answer, Caller } from '../support/client.js';
import { addPerson, PASSWORD, type Person } from '../support/fixture.js';
import { startTestService } from '../support/service.js';
import { atOnce } from '../support/barrier.js';
import { people, service, useKindsService } from '../support/kinds-service.js';

/* Two requests that meet at one record, at its parents, or at what entitles its caller. */

// Requests are held up until all have come; on a busy machine that takes a while.
useKindsService({ STATEMENT_TIMEOUT_MS: '60000' });

describe('updates of one record', () => {
  it('two updates of different props both survive', async () => {
    // 50 rounds, not 100. There is no prop `bio`: useAsDisplayName and realName stand in.
    const modes = ['username', 'email', 'realName'];
    for (let round = 0; round < 50; round++) {
      const useAsDisplayName = modes[round % 3];
      const answers = await Promise.all([
        people.owner.call.put(`/users/${people.owner.id}`, { useAsDisplayName }),
        people.admin.call.put(`/users/${people.owner.id}`, { realName: `r${round}` }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(propsOf(await people.admin.call.get(`/users/${people.owner.id}`))).toMatchObject({
        useAsDisplayName,
        realName: `r${round}`,
      });
    }
  });

  it('five updates of different props all survive, when they meet inside their transactions', async () => {
    const thing = idOf(await people.owner.call.post('/dummythings', { name: 'n' }));
    const changes = [{ name: 'm' }, { note: 'o' }, { amount: 7 }, { colour: 'blue' }, { secret: 's' }];
    const answers = await atOnce(
      service,
      'dummythings',
      changes.map((change) => () => people.owner.call.put(`/dummythings/${thing}`, change)),
    );
    expect(answers.map(({ status }) => status)).toEqual(times(5, () => 200));
    expect(propsOf(await people.owner.call.get(`/dummythings/${thing}`))).toMatchObject(
      Object.assign({}, ...changes) as object,
    );
  });

  it('the version rises with every change, also of one millisecond and when the clock goes back', async () => {
    const id = idOf(await people.owner.call.post('/dummyitems', { name: 'n', category: 'Food' }));
    await service.sql(`UPDATE dummyitems SET "updatedAt" = '2200-01-01T00:00:00Z'`);
    const path = `/dummyitems/${id}`;
    const versions = [(await people.owner.call.get(path)).headers.get('etag') ?? ''];
    for (const name of ['a', 'b', 'c']) {
      const headers = { 'if-match': versions.at(-1) ?? '' };
      const answer = await people.owner.call.put(path, { name }, { headers });
      expect(answer.status).toBe(200);
      versions.push(answer.headers.get('etag') ?? '');
    }
    const stale = await people.owner.call.put(
      path,
      { name: 'd' },
      { headers: { 'if-match': versions[1] ?? '' } },
    );
    expect(stale.status).toBe(412);
    expect(versions.map((version) => version.slice(1, 25))).toEqual(
      times(4, (i) => `2200-01-01T00:00:00.00${i}Z`),
    );
  });

  it('If-Match: of many updates of one version, one wins', async () => {
    const path = `/users/${people.owner.id}`;
    for (let round = 0; round < 5; round++) {
      const version = (await people.owner.call.get(path)).headers.get('etag') ?? '';
      const headers = { 'if-match': version };
      const calls = times(
        8,
        (i) => () => people.owner.call.put(path, { realName: `w${round}_${i}` }, { headers }),
      );
      const answers = await atOnce(service, 'users', calls);
      const [won, ...more] = succeeded(answers);
      expect(more).toEqual([]);
      for (const answer of answers.filter((one) => one !== won)) {
        expect(answer).toMatchObject({ status: 412, body: { error: { code: 412, data: null } } });
        // A refused change tells nothing about the version of now.
        expect(answer.headers.get('etag')).toBeNull();
      }
      expect(propsOf(await people.owner.call.get(path)).realName).toBe(won && propsOf(won).realName);
    }
  });

  it('If-Match: a stale version is refused where one statement writes the record, too', async () => {
    const path = `/dummythings/${idOf(await people.owner.call.post('/dummythings', { name: 'first' }))}`;
    const headers = { 'if-match': (await people.owner.call.get(path)).headers.get('etag') ?? '' };
    expect((await people.owner.call.put(path, { name: 'second' }, { headers })).status).toBe(200);
    expect((await people.owner.call.put(path, { name: 'stale' }, { headers })).status).toBe(412);
    expect(propsOf(await people.owner.call.get(path)).name).toBe('second');
  });

  it('If-Match: every real change is another version, every other answer the same', async () => {
    const path = `/users/${people.owner.id}`;
    const tags = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const answer = await people.owner.call.put(path, { realName: `v${i}` });
      tags.add(answer.headers.get('etag') ?? '');
      expect((await people.owner.call.get(path)).headers.get('etag')).toBe(answer.headers.get('etag'));
    }
    expect(tags.size).toBe(20);
    for (const tag of tags) expect(tag).toMatch(/^"[^"]+"$/);
    const before = await people.owner.call.get(path);
    const same = await people.owner.call.put(
      path,
      { realName: 'v19' },
      { headers: { 'if-match': [...tags].pop() ?? '' } },
    );
    expect([same.status, same.headers.get('etag')]).toEqual([200, before.headers.get('etag')]);
    expect(propsOf(same)).toEqual(propsOf(before));
  });

  it('If-Match: stale, foreign and misshapen versions are 412; *, lists and none are taken', async () => {
    const path = `/users/${people.owner.id}`;
    const first = (await people.owner.call.get(path)).headers.get('etag') ?? '';
    const current = (await people.owner.call.put(path, { realName: 'two' })).headers.get('etag') ?? '';
    const put = (tag: string) =>
      people.owner.call.put(path, { realName: 'three' }, { headers: { 'if-match': tag } });
    // A weak tag never matches here (RFC 9110 §13.1.1).
    for (const tag of [first, '"x"', 'x', `W/${current}`, current.replaceAll('"', '')]) {
      expect([tag, (await put(tag)).status]).toEqual([tag, 412]);
      const gone = await people.owner.call.delete(path, { headers: { 'if-match': tag } });
      expect([tag, gone.status]).toEqual([tag, 412]);
    }
    expect(propsOf(await people.owner.call.get(path)).realName).toBe('two');
    expect((await put(`"x", ${current}`)).status).toBe(200);
    expect((await put('*')).status).toBe(200);
    // Rights come first: a stranger learns nothing of versions.
    const stranger = await people.other.call.put(path, { realName: 'x' }, { headers: { 'if-match': '"x"' } });
    expect(stranger.status).toBe(403);
    const last = (await people.owner.call.get(path)).headers.get('etag') ?? '';
    expect((await people.owner.call.delete(path, { headers: { 'if-match': last } })).status).toBe(200);
  });
});

describe('conditional requests (RFC 9110 §13)', () => {
  const cookieOf = (by: Person | null): Record<string, string> =>
    by ? { cookie: `appSessionId=${by.call.cookie}` } : {};
  const read = async (
    path: string,
    by: Person | null,
    headers: Record<string, string> = {},
    method = 'GET',
  ) => {
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { ...cookieOf(by), ...headers },
    });
    const { status } = answer;
    return {
      status,
      text: await answer.text(),
      tag: answer.headers.get('etag') ?? '',
      headers: answer.headers,
    };
  };

  it('If-None-Match spares a client what it has, of records, lists, relations and HEAD', async () => {
    const { id } = propsOf(await people.owner.call.post('/dummyitems', { name: 'one', category: 'Food' }));
    const self = `/users/${people.owner.id}`;
    for (const path of [
      self,
      `${self}?includeMeta=true`,
      '/users/whoami',
      '/users',
      '/dummyitems',
      `/dummyitems/${String(id)}`,
    ]) {
      const whole = await read(path, people.owner);
      expect([path, whole.status]).toEqual([path, 200]);
      expect(whole.tag).toMatch(path === '/users' || path === '/dummyitems' ? /^W\/"[^"]+"$/ : /^"[^"]+"$/);
      for (const method of ['GET', 'HEAD']) {
        for (const tags of [whole.tag, `W/${whole.tag.replace('W/', '')}`, `"a,b", ${whole.tag}`, ' * ']) {
          const spared = await read(path, people.owner, { 'if-none-match': tags }, method);
          expect([path, tags, spared.status, spared.text, spared.tag]).toEqual([
            path,
            tags,
            304,
            '',
            whole.tag,
          ]);
          expect(spared.headers.get('content-type')).toBeNull();
          // None, or that of the whole answer (RFC 9110 §8.6).
          const lengths = [null, ...(method === 'HEAD' ? [whole.headers.get('content-length')] : [])];
          expect(lengths).toContain(spared.headers.get('content-length'));
          expect(spared.headers.get('cache-control')).toBe(whole.headers.get('cache-control'));
        }
        const other = await read(path, people.owner, { 'if-none-match': '"other", W/"x"' }, method);
        expect([other.status, other.tag, other.text]).toEqual([
          200,
          whole.tag,
          method === 'GET' ? whole.text : '',
        ]);
      }
    }
  });

  it('another caller, other rights, other includes and other rows are another answer', async () => {
    const self = `/users/${people.owner.id}`;
    const tags = [
      await read(self, null),
      await read(self, people.owner),
      await read(`${self}?includeMeta=true`, people.owner),
      await read('/users', null),
      await read('/users', people.owner),
    ].map(({ tag }) => tag);
    expect(new Set(tags).size).toBe(tags.length);
    for (const tag of tags) {
      // Whoever logs in gets the whole answer, whatever it had before.
      const own = await read(self, people.owner, { 'if-none-match': tag });
      expect([tag, own.status]).toEqual([tag, tag === tags[1] ? 304 : 200]);
    }
    const list = await read('/users', people.owner);
    await people.owner.call.put(self, { realName: 'New Name' });
    for (const path of [self, '/users']) {
      const changed = await read(path, people.owner, { 'if-none-match': [...tags, list.tag].join() });
      expect([path, changed.status]).toEqual([path, 200]);
      expect(changed.text).toContain('New Name');
    }
    // A parent that changes makes another answer of the record that includes it.
    const { id } = propsOf(await people.owner.call.post('/dummyitems', { name: 'one', category: 'Food' }));
    const included = `/dummyitems/${String(id)}?includeRelated=user`;
    const before = await read(included, people.owner);
    await people.owner.call.put(self, { realName: 'Newer Name' });
    expect((await read(included, people.owner, { 'if-none-match': before.tag })).status).toBe(200);
  });

  it('a tag of any answer with the record serves for If-Match, and If-None-Match refuses a write of that version', async () => {
    const self = `/users/${people.owner.id}`;
    const put = (headers: Record<string, string>, realName: string) =>
      people.owner.call.put(self, { realName }, { headers });
    const seen = (await read(`${self}?includeMeta=true&includeLinks=true`, people.owner)).tag;
    for (const tags of ['*', seen, `W/${seen}`, `"x", ${seen}`]) {
      const refused = await put({ 'if-none-match': tags }, 'never');
      expect([tags, refused.status, refused.body]).toMatchObject([
        tags,
        412,
        { error: { code: 412, data: null } },
      ]);
      const kept = await people.owner.call.delete(self, { headers: { 'if-none-match': tags } });
      expect([tags, kept.status]).toEqual([tags, 412]);
    }
    expect((await put({ 'if-match': seen, 'if-none-match': '"x"' }, 'second')).status).toBe(200);
    expect((await put({ 'if-match': seen }, 'never')).status).toBe(412);
    expect((await put({ 'if-none-match': seen }, 'third')).status).toBe(200);
    // Both must hold, and neither tells a stranger anything.
    expect((await put({ 'if-match': '*', 'if-none-match': '*' }, 'never')).status).toBe(412);
    expect(propsOf(await people.owner.call.get(self)).realName).toBe('third');
    const stranger = await people.other.call.put(
      self,
      { realName: 'x' },
      { headers: { 'if-none-match': '*' } },
    );
    expect(stranger.status).toBe(403);
  });

  it('If-Match holds for reads too, compares strongly, and comes before If-None-Match', async () => {
    const self = `/users/${people.owner.id}`;
    const { tag } = await read(self, people.owner);
    expect((await read(self, people.owner, { 'if-match': tag })).status).toBe(200);
    expect((await read(self, people.owner, { 'if-match': `W/${tag}` })).status).toBe(412);
    expect((await read(self, people.owner, { 'if-match': '"x"', 'if-none-match': tag })).status).toBe(412);
    expect((await read(self, people.owner, { 'if-match': '*', 'if-none-match': tag })).status).toBe(304);
    const list = await read('/users', people.owner);
    expect((await read('/users', people.owner, { 'if-match': list.tag })).status).toBe(412);
    expect((await read('/users', people.owner, { 'if-match': '*' })).status).toBe(200);
    // What fails without a condition fails in the same way with one.
    expect((await read('/users/vNope', people.owner, { 'if-none-match': '*' })).status).toBe(404);
    expect((await read('/apikeys', null, { 'if-none-match': '*' })).status).toBe(401);
  });
});

describe('the last administrator', () => {
  it('can neither give up the role nor be deleted', async () => {
    const path = `/users/${people.admin.id}`;
    const answers = [
      await people.admin.call.put(path, { admin: false }),
      await people.admin.call.put(path, { admin: 'false', realName: 'Nobody' }),
      await people.admin.call.delete(path),
    ];
    for (const answer of answers) expect([answer.status, errorOf(answer).code]).toEqual([409, 409]);
    expect(propsOf(await people.admin.call.get(path))).toMatchObject({ admin: true, realName: 'Ada Admin' });
    // No cron jobs yet: topics are admins' too.
    expect((await people.admin.call.get('/dummytopics')).status).toBe(200);
    const none = await people.admin.call.put(path, { admin: null });
    expect([none.status, errorOf(none).code, errorOf(none).data]).toEqual([422, 441, 'admin']);
  });

  it('may be deleted once there is another', async () => {
    expect((await people.admin.call.put(`/users/${people.other.id}`, { admin: true })).status).toBe(200);
    const down = await people.admin.call.put(`/users/${people.admin.id}`, { admin: false });
    expect(down).toMatchObject({ status: 200, body: { props: { admin: false } } });
    expect((await people.admin.call.get('/dummytopics')).status).toBe(403);
    expect((await people.other.call.delete(`/users/${people.admin.id}`)).status).toBe(200);
    expect((await people.other.call.delete(`/users/${people.other.id}`)).status).toBe(409);
  });

  type Way = (actor: Person, target: Person) => Promise<Answer>;
  const demote: Way = (actor, target) => actor.call.put(`/users/${target.id}`, { admin: false });
  const remove: Way = (actor, target) => actor.call.delete(`/users/${target.id}`);

  it.each<[string, Way, Way, 'each other' | 'themselves']>([
    ['demote each other', demote, demote, 'each other'],
    ['delete each other', remove, remove, 'each other'],
    ['demote and delete each other', demote, remove, 'each other'],
    ['step down', demote, demote, 'themselves'],
    ['delete themselves', remove, remove, 'themselves'],
    ['step down and delete itself', demote, remove, 'themselves'],
  ])('two who %s at once: exactly one is left, 10 rounds', async (_name, one, two, whom) => {
    for (let round = 0; round < 10; round++) {
      const letter = 'abcdefghijklmno'[round] ?? '';
      const [a, b] = [
        await addPerson(service, `ra_${letter}`, `ra${round}@mail.test`, 'A', { admin: true }),
        await addPerson(service, `rb_${letter}`, `rb${round}@mail.test`, 'B', { admin: true }),
      ];
      await service.sql(`UPDATE users SET admin = false WHERE username <> ALL ($1)`, [
        [a.username, b.username],
      ]);
      const [x, y] = whom === 'each other' ? [b, a] : [a, b];
      const answers = await atOnce(service, 'users', [() => one(a, x), () => two(b, y)]);
      expect(await countRows(service, 'users WHERE admin')).toBe(1);
      expect(succeeded(answers)).toHaveLength(1);
      // The loser is told the rule, or that it has lost its right (or its session) meanwhile.
      for (const answer of answers.filter(({ status }) => status >= 300)) {
        expect([401, 403, 404, 409]).toContain(answer.status);
      }
    }
  });

  it('of five who each demote the next one, one is left', async () => {
    for (let round = 0; round < 5; round++) {
      await service.sql('UPDATE users SET admin = false');
      const five: Person[] = [];
      for (const n of 'abcde') {
        const name = `five_${n}${'vwxyz'[round] ?? ''}`;
        five.push(await addPerson(service, name, `${name}@mail.test`, n, { admin: true }));
      }
      const calls = five.map((person, i) => () => demote(person, five[(i + 1) % 5] ?? person));
      const answers = await atOnce(service, 'users', calls);
      expect(await countRows(service, 'users WHERE admin')).toBe(1);
      expect(succeeded(answers)).toHaveLength(4);
    }
  });

  it('one is left when two instances are asked at once', async () => {
    const second = await startTestService({ kinds: TEST_KINDS, databaseUrl: service.databaseUrl });
    try {
      for (let round = 0; round < 10; round++) {
        await service.sql(`UPDATE users SET admin = username IN ('owner_u', 'other_u')`);
        const there = new Caller(second.url, people.other.sessionId);
        const answers = await atOnce(service, 'users', [
          () => people.owner.call.put(`/users/${people.other.id}`, { admin: false }),
          () => there.put(`/users/${people.owner.id}`, { admin: false }),
        ]);
        expect(await countRows(service, 'users WHERE admin')).toBe(1);
        expect(succeeded(answers)).toHaveLength(1);
      }
    } finally {
      await second.stop();
    }
  });
});

describe('parents that are deleted', () => {
  it('a relation that is set while its target is deleted never points to nothing', async () => {
    // No files yet: Thing.buddyId (onDelete null) is to User what avatarId is to ObjectFile.
    const thing = idOf(await people.owner.call.post('/dummythings', { name: 'n' }));
    for (let round = 0; round < 25; round++) {
      const [row] = await service.sql<{ n: string }>(
        `INSERT INTO users (username, "usernameFolded", email, "emailFolded", "passwordHash")
         VALUES ($1, $1, $1, $1, '') RETURNING id::text AS n`,
        [`buddy_${round}`],
      );
      const list = await people.admin.call.get('/users?sortBy=createdAt&sortOrder=desc&itemsPerPage=1');
      const buddy = String((list.body.items as { props: { id: string } }[])[0]?.props.id);
      const answers = await Promise.all([
        people.owner.call.put(`/dummythings/${thing}`, { buddyId: buddy }),
        people.admin.call.delete(`/users/${buddy}`),
      ]);
      expect([200, 404, 409, 422]).toContain(answers[0].status);
      expect(answers[1].status).toBe(200);
      expect(await countRows(service, `dummythings WHERE "buddyId" = $1`, [row?.n])).toBe(0);
      const read = await people.owner.call.get(`/dummythings/${thing}?includeRelated=buddy`);
      expect(read).toMatchObject({
        status: 200,
        body: { props: { buddyId: null }, related: { buddy: null } },
      });
    }
  });

  it('a parent that restricts its deletion is kept whole or deleted whole', async () => {
    for (let round = 0; round < 20; round++) {
      const thing = idOf(await people.admin.call.post('/dummythings', { name: `n${round}` }));
      const topic = idOf(await people.admin.call.post('/dummytopics', { title: `t${round}` }));
      const [set, gone] = await Promise.all([
        people.admin.call.put(`/dummytopics/${topic}`, { thingId: thing }),
        people.admin.call.delete(`/dummythings/${thing}`),
      ]);
      const left = await countRows(service, 'dummythings WHERE name = $1', [`n${round}`]);
      expect([set.status, gone.status, left]).toEqual(
        set.status === 200 ? [200, 409, 1] : [expect.any(Number), 200, 0],
      );
      if (set.status !== 200) expect([404, 409, 422]).toContain(set.status);
      const read = await people.admin.call.get(`/dummytopics/${topic}?includeRelated=thing`);
      expect([read.status, propsOf(read).thingId]).toEqual([200, set.status === 200 ? thing : null]);
    }
  });

  it('a child that is made while its parent is deleted is refused or goes with it', async () => {
    for (let round = 0; round < 30; round++) {
      const name = `parent_${'abcdefghijklmnopqrstuvwxyzabcdef'[round] ?? ''}${round}`;
      const person = await addPerson(service, name, `${name}@mail.test`, 'P');
      const [own, byAdmin, thing, gone] = await Promise.all([
        person.call.post('/apikeys', { name: 'late' }),
        people.admin.call.post('/apikeys', { name: 'late', userId: person.id }),
        person.call.post('/dummythings', { name: 'late' }),
        people.admin.call.delete(`/users/${person.id}`),
      ]);
      expect(gone.status).toBe(200);
      for (const answer of [own, byAdmin, thing]) {
        if (answer.status >= 300) expect([401, 404, 409, 422]).toContain(answer.status);
      }
    }
    expect(
      await countRows(service, 'apikeys k WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = k."userId")'),
    ).toBe(0);
    expect(
      await countRows(service, 'sessions s WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = s."userId")'),
    ).toBe(0);
    expect(await countRows(service, `apikeys WHERE name = 'late'`)).toBe(0);
    expect(await countRows(service, `dummythings WHERE name = 'late'`)).toBe(0);
  });

  it('a child that is made after the deletion of its parent is refused', async () => {
    const holder = await startDeletion(people.owner.username);
    const late = people.owner.call.post('/apikeys', { name: 'late' });
    await holder.whenBlocked();
    await holder.commit();
    const answer = await late;
    expect([401, 404, 409, 422]).toContain(answer.status);
    expect(answer.text).not.toMatch(/fk_|foreign|violates|Key \(/);
    expect(await countRows(service, `apikeys WHERE name = 'late'`)).toBe(0);
  });

  it('one record is deleted once', async () => {
    const thing = idOf(await people.owner.call.post('/dummythings', { name: 'n' }));
    const answers = await atOnce(
      service,
      'dummythings',
      times(6, () => () => people.owner.call.delete(`/dummythings/${thing}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
  });

  it('an update at the moment of a deletion is 404 or comes before it', async () => {
    for (let round = 0; round < 10; round++) {
      const thing = idOf(await people.owner.call.post('/dummythings', { name: 'n' }));
      const [put, gone] = await atOnce(service, 'dummythings', [
        () => people.owner.call.put(`/dummythings/${thing}`, { name: 'm' }),
        () => people.admin.call.delete(`/dummythings/${thing}`),
      ]);
      expect([200, 404]).toContain(put?.status);
      expect(gone?.status).toBe(200);
      expect(gone && propsOf(gone).name).toBe(put?.status === 200 ? 'm' : 'n');
      expect((await people.owner.call.get(`/dummythings/${thing}`)).status).toBe(404);
    }
  });
});

describe('sessions and writes that meet', () => {
  it('a login with the old password at the moment of its change leaves no session', async () => {
    for (let round = 0; round < 8; round++) {
      const [before, after] = [`password ${round}`, `password ${round + 1}`];
      const path = `/users/${people.owner.id}`;
      if (round === 0) expect((await people.admin.call.put(path, { password: before })).status).toBe(200);
      const [changed, ...logins] = await Promise.all([
        people.admin.call.put(path, { password: after }),
        ...times(4, () => people.anon.post('/sessions', { login: 'owner_u', password: before })),
      ]);
      expect(changed.status).toBe(200);
      for (const login of succeeded(logins)) {
        const session = new Caller(service.url, idOf(login));
        expect((await session.get('/users/whoami')).status).toBe(401);
      }
      expect(
        await countRows(
          service,
          `sessions WHERE "userId" = (SELECT id FROM users WHERE username = 'owner_u')`,
        ),
      ).toBe(0);
    }
  });

  it('a login with a key at the moment of its deletion leaves no session', async () => {
    for (let round = 0; round < 15; round++) {
      const made = await people.other.call.post('/apikeys', { name: `k${round}` });
      const key = { apiKey: idOf(made), privateKey: (made.body.meta as { privateKey: string }).privateKey };
      const [gone, ...logins] = await Promise.all([
        people.other.call.delete(`/apikeys/${key.apiKey}`),
        ...times(3, () => people.anon.post('/sessions', key)),
      ]);
      expect(gone.status).toBe(200);
      for (const login of logins) {
        expect([login.status < 300 || login.status === 401, login.status]).toEqual([true, login.status]);
        if (login.status >= 300) continue;
        expect((await new Caller(service.url, idOf(login)).get('/users/whoami')).status).toBe(401);
      }
    }
    expect(await countRows(service, 'sessions')).toBe(3);
  });

  it('a session that is logged out while it is used is not revived by the use', async () => {
    for (let round = 0; round < 15; round++) {
      const login = await people.anon.post('/sessions', { login: 'owner_u', password: PASSWORD });
      const call = new Caller(service.url, idOf(login));
      // Due to be extended by the next use.
      await service.sql(
        `UPDATE sessions SET "expiresAt" = now() + interval '1 hour' WHERE type = 'password'`,
      );
      const [gone, ...uses] = await Promise.all([
        call.delete('/sessions'),
        ...times(5, () => call.get('/users/whoami')),
      ]);
      expect(gone.status).toBe(200);
      for (const { status } of uses) expect([200, 401]).toContain(status);
      expect((await call.get('/users/whoami')).status).toBe(401);
      expect(await countRows(service, `sessions WHERE type = 'password'`)).toBe(0);
    }
  });
});

/** Deletes a user in a transaction of the test's own, which the service's requests must then wait for. */
async function startDeletion(username: string) {
  const client = new Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query('BEGIN');
  await client.query('DELETE FROM users WHERE username = $1', [username]);
  return {
    async whenBlocked(): Promise<void> {
      const text = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      for (const end = Date.now() + 8000; !(await service.sql(text)).length;) {
        if (Date.now() > end) throw new Error('Nobody waits for the deletion.');
      }
    },
    async commit(): Promise<void> {
      await client.query('COMMIT');
      await client.end();
    },
  };
}
