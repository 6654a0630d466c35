import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { MediaPool, MAX_WAITING, MAX_WAITING_EACH, PROCESSES } from '../../src/files/media/media-pool.js';
import { type Answer, Caller, type Json } from '../support/client.js';
import { deadlocks } from '../support/deadlocks.js';
import { addPerson, type Fixture, type Person } from '../support/fixture.js';
import { startTestService } from '../support/service.js';
import { FileService, type Upload } from './file-service.js';
import { picture } from './images.js';

/* What one account can't do to the others: to their imports, to the disk, to their records; and work that waits. */

const MEGABYTE = 1_000_000;

let files: FileService;
let people: Fixture;

beforeAll(async () => {
  files = await FileService.start('embedded', {
    MAX_FILE_BYTES: String(MEGABYTE),
    MAX_PENDING_BYTES: String(2 * MEGABYTE),
    MAX_PENDING_BYTES_IN_ALL: String(3 * MEGABYTE),
  });
});
afterAll(() => files.stop());
beforeEach(async () => {
  people = await files.reset();
});

const described = (who: Person, sizeInBytes: number, filename = 'a.png') =>
  who.call.post('/objectfiles', { filename, contentType: 'application/octet-stream', sizeInBytes });
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();
const messageOf = ({ body }: Answer) => String((body.error as Json | undefined)?.message);

describe('one account does not fill the disk', () => {
  it('with begun uploads: the bytes of each user are limited', async () => {
    const { owner, other, admin } = people;
    const all = await Promise.all(Array.from({ length: 8 }, () => described(owner, 0.9 * MEGABYTE)));
    expect(statuses(all)).toEqual([201, 201, ...Array.from({ length: 6 }, () => 409)]);
    expect(messageOf(await described(owner, 0.9 * MEGABYTE))).toContain('over 2000000 bytes');
    expect((await described(owner, 0.1 * MEGABYTE)).status).toBe(201);
    // Whoever deletes one makes room.
    const begun = all.find(({ status }) => status === 201)?.body.props as Json;
    expect((await owner.call.delete(`/objectfiles/${String(begun.id)}`)).status).toBe(200);
    expect((await described(owner, 0.9 * MEGABYTE)).status).toBe(201);
    // What is only announced keeps nobody else out.
    for (const who of [other, admin])
      for (const size of [0.9, 0.9]) expect((await described(who, size * MEGABYTE)).status).toBe(201);
  });

  it('with uploads that have arrived: the bytes of all users are limited', async () => {
    const { owner, other, admin } = people;
    const bytes = Buffer.alloc(0.9 * MEGABYTE, 1);
    const first = await files.upload(owner, 'a.png', 'image/png', bytes);
    await files.upload(owner, 'b.png', 'image/png', bytes);
    const waiting = await files.create(admin, 'c.png', 'image/png', bytes.length);
    const third = await files.upload(other, 'd.png', 'image/png', bytes);
    const full = await described(other, 0.9 * MEGABYTE);
    expect([full.status, full.body.error, full.headers.get('retry-after')]).toEqual([
      507,
      expect.objectContaining({ code: 507, data: null }),
      '600',
    ]);
    expect((await described(other, 0.2 * MEGABYTE)).status).toBe(201);
    const staged = await files.objects('staging');
    expect(await files.put(waiting, bytes)).toBe(507);
    expect(await files.objects('staging')).toEqual(staged);
    // One that has arrived may be sent again.
    expect(await files.put(third, bytes)).toBe(200);
    // Whoever deletes one makes room.
    expect((await owner.call.delete(`/objectfiles/${first.id}`)).status).toBe(200);
    expect(await files.put(waiting, bytes)).toBe(200);
  });

  it('with uploads that the service was not told about: they count when their URL has expired', async () => {
    const { owner, other, admin } = people;
    const bytes = Buffer.alloc(0.9 * MEGABYTE, 1);
    await files.create(other, 'nothing.png', 'image/png', bytes.length);
    for (const who of [owner, other]) await files.upload(who, 'a.png', 'image/png', bytes);
    await files.upload(owner, 'b.png', 'image/png', bytes);
    // As if a bucket had received them.
    await files.service.sql('UPDATE objectfiles SET "receivedBytes" = NULL');
    await files.tidy();
    expect((await described(admin, 0.9 * MEGABYTE)).status).toBe(201);
    await files.service.sql(`UPDATE objectfiles SET "uploadsEndAt" = now() + interval '1 day'
      WHERE "userId" <> (SELECT id FROM users WHERE username = 'admin_u')`);
    await files.tidy();
    expect((await described(admin, 0.9 * MEGABYTE)).status).toBe(507);
    const received = await files.service.sql(
      'SELECT "receivedBytes" FROM objectfiles WHERE "receivedBytes" IS NOT NULL ORDER BY "receivedBytes"',
    );
    expect(received.map(({ receivedBytes }) => Number(receivedBytes))).toEqual([
      0,
      bytes.length,
      bytes.length,
      bytes.length,
    ]);
  });

  it('with types that nothing accepts', async () => {
    for (const name of ['a.pdf', 'a.mp4', 'a.zip', 'a.webp']) {
      const answer = await described(people.owner, 1000, name);
      expect([name, answer.status, answer.body.error]).toEqual([
        name,
        415,
        expect.objectContaining({ data: 'filename', message: expect.stringContaining('it takes png, jpeg') }),
      ]);
    }
    expect(await files.service.sql('SELECT 1 FROM objectfiles')).toEqual([]);
  });

  it('on which the database is: uploads are refused while it is nearly full, and all else goes on', async () => {
    const { owner } = people;
    const png = await picture('png');
    const [uploaded, waiting] = [
      await files.upload(owner, 'a.png', 'image/png', png),
      await files.create(owner, 'b.png', 'image/png', png.length),
    ];
    // The same files, by an instance that wants more free than any disk has.
    const nearlyFull = await startTestService({
      databaseUrl: files.service.databaseUrl,
      env: { DATA_DIR: files.dataDir, MIN_FREE_BYTES: String(2 ** 49) },
    });
    try {
      const there = { ...owner, call: new Caller(nearlyFull.url, owner.sessionId) };
      expect((await described(there, 1000)).status).toBe(507);
      const url = waiting.url.replace(files.service.url, nearlyFull.url);
      expect(await files.put({ ...waiting, url }, png)).toBe(507);
      expect((await files.importAvatar(there, uploaded)).status).toBe(507);
      expect(await readdir(join(files.dataDir, 'files', 'fragments'))).toEqual([]);
      expect(await files.objects('final')).toEqual([]);
      expect(await files.statusOf(there, uploaded)).toBe('pending');
      expect((await there.call.put(`/users/${owner.id}`, { realName: 'Still There' })).status).toBe(200);
      expect((await nearlyFull.anon.get('//health/ready')).status).toBe(200);
    } finally {
      await nearlyFull.stop();
    }
    expect(await files.put(waiting, png)).toBe(200);
    expect((await files.importAvatar(owner, uploaded)).status).toBe(200);
  });
});

/** Takes all media processes until it is told to let them go. */
function heldPool(): { let: () => void } {
  const pool = files.service.app.get(MediaPool);
  let end: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (end = resolve));
  for (let i = 0; i < PROCESSES; i++)
    void pool.acquire(`holder ${i}`).then((turn) => held.then(turn.release));
  return { let: end };
}

/** Until so many imports wait for their turn. */
async function waiting(count: number): Promise<void> {
  const pool = files.service.app.get(MediaPool);
  while (pool.load().waiting < count) await sleep(5);
}

it('one user’s imports keep nobody else waiting for more than one of them', async () => {
  const { owner, other } = people;
  const png = await picture('png', 60, 60);
  const many: Upload[] = [];
  for (let i = 0; i < MAX_WAITING_EACH + 2; i++)
    many.push(await files.upload(owner, 'a.png', 'image/png', png));
  const one = await files.upload(other, 'a.png', 'image/png', png);
  const pool = heldPool();
  const order: string[] = [];
  const refused: number[] = [];
  const imported = async (who: Person, upload: Upload, name: string) => {
    const { status } = await files.importAvatar(who, upload);
    if (status === 200) order.push(name);
    else refused.push(status);
    return status;
  };
  const greedy = many.map((upload) => imported(owner, upload, 'greedy'));
  await waiting(MAX_WAITING_EACH);
  const modest = imported(other, one, 'modest');
  await waiting(MAX_WAITING_EACH + 1);
  while (refused.length < 2) await sleep(5);
  pool.let();
  expect(await modest).toBe(200);
  expect(order.indexOf('modest')).toBeLessThanOrEqual(PROCESSES + 1);
  await Promise.all(greedy);
  expect(refused).toEqual([429, 429]);
  expect(order.filter((name) => name === 'greedy')).toHaveLength(MAX_WAITING_EACH);
});

it('imports of many users that fill the queue keep nobody out who has none in it', async () => {
  const { other } = people;
  const one = await files.upload(other, 'a.png', 'image/png', await picture('png', 60, 60));
  const held = heldPool();
  const pool = files.service.app.get(MediaPool);
  const greedy = Array.from({ length: MAX_WAITING }, (_, i) =>
    pool.acquire(`greedy ${Math.floor(i / MAX_WAITING_EACH)}`).then(({ release }) => release()),
  );
  const ends = Promise.allSettled(greedy);
  await waiting(MAX_WAITING);
  const modest = files.importAvatar(other, one);
  await Promise.any(greedy.map((slot) => slot.catch(() => 'gave way')));
  expect(pool.load().waiting).toBe(MAX_WAITING);
  held.let();
  expect((await modest).status).toBe(200);
  const refused = (await ends).filter(({ status }) => status === 'rejected');
  expect(refused).toEqual([expect.objectContaining({ reason: expect.objectContaining({ status: 503 }) })]);
});

describe('what has waited is authorised again', () => {
  const demote = () => files.service.sql('UPDATE users SET admin = false WHERE admin');

  it('an import whose caller is no administrator any more when its turn comes', async () => {
    const { admin, other } = people;
    const upload = await files.upload(admin, 'a.png', 'image/png', await picture('png', 20, 20));
    const pool = heldPool();
    const answer = files.importAvatar(admin, upload, other);
    await waiting(1);
    await demote();
    pool.let();
    expect(messageOf(await answer)).toContain('rights have changed');
    expect((await answer).status).toBe(403);
    expect(await files.avatarOf(other)).toBeNull();
    expect(await files.statusOf(admin, upload)).toBe('pending');
    await files.tidy();
    expect(await files.objects('final')).toEqual([]);
    // Another try is judged by what holds now.
    expect((await files.importAvatar(admin, upload, other)).status).toBe(403);
    expect((await files.importAvatar(admin, upload)).status).toBe(200);
  });

  it('an import whose session has ended while it waited', async () => {
    const { owner } = people;
    const upload = await files.upload(owner, 'a.png', 'image/png', await picture('png', 20, 20));
    const pool = heldPool();
    const answer = files.importAvatar(owner, upload);
    await waiting(1);
    await files.service.sql(
      'DELETE FROM sessions WHERE "userId" = (SELECT id FROM users WHERE username = $1)',
      [owner.username],
    );
    pool.let();
    expect((await answer).status).toBe(401);
    const rows = await files.service.sql('SELECT status, claim FROM objectfiles');
    expect(rows).toEqual([{ status: 'pending', claim: null }]);
  });

  it('an update, a deletion and a run of a job that wait for a lock', async () => {
    const { admin, owner, other } = people;
    const job = await admin.call.post('/cronjobs', {
      schedule: '0 0 1 1 *',
      handler: 'DeleteExpiredSessions',
    });
    const client = new Client({ connectionString: files.service.databaseUrl });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM users WHERE username = ANY($1) FOR UPDATE', [
        [owner.username, other.username],
      ]);
      await client.query('SELECT 1 FROM cronjobs FOR UPDATE');
      const answers = [
        admin.call.put(`/users/${owner.id}`, { realName: 'Changed' }),
        admin.call.delete(`/users/${other.id}`),
        admin.call.post(`/cronjobs/${String((job.body.props as Json).id)}/run`),
      ];
      const text = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await files.service.sql(text)).length < answers.length) await sleep(5);
      await demote();
      await sleep(1050); // until what the guard has found is no longer relied on
      await client.query('ROLLBACK');
      expect(statuses(await Promise.all(answers))).toEqual([403, 403, 403]);
    } finally {
      await client.end();
    }
    expect(((await owner.call.get(`/users/${owner.id}`)).body.props as Json).realName).toBe('Olive Owner');
    expect((await other.call.get('/users/whoami')).status).toBe(200);
    expect(await files.service.sql('SELECT 1 FROM cronruns')).toEqual([]);
  });
});

it('avatars that change beside the deletion of their files never end in a deadlock', async () => {
  const { owner, admin } = people;
  const second = await addPerson(files.service, 'second_u', 'second@mail.test', 'Second');
  const before = await deadlocks(files.service);
  for (let round = 0; round < 25; round++) {
    const rows = await files.service.sql<{ id: string }>(
      `INSERT INTO objectfiles (filename, extension, "contentType", "sizeInBytes", status, "userId")
       SELECT 'a.png', 'png', 'image/png', 1, 'ready', u.id FROM users u, generate_series(1, 2)
       WHERE u.username = ANY($1) ORDER BY u.id RETURNING id`,
      [[owner.username, second.username]],
    );
    const [a = '', b = '', c = '', d = ''] = rows.map(({ id }) => files.publicId(id));
    const avatar = (who: Person, id: string | null) => admin.call.put(`/users/${who.id}`, { avatarId: id });
    await Promise.all([avatar(owner, a), avatar(second, c)]);
    const answers = await Promise.all([
      // Each takes up what the other lets go.
      avatar(owner, c),
      avatar(second, a),
      admin.call.delete(`/objectfiles/${a}`),
      avatar(owner, b),
      admin.call.delete(`/objectfiles/${c}`),
      avatar(second, d),
      owner.call.put(`/users/${owner.id}`, { avatarId: null }),
      admin.call.delete(`/objectfiles/${b}`),
      avatar(owner, d),
      admin.call.delete(`/objectfiles/${d}`),
    ]);
    // Gone files can't be named, nor deleted twice.
    expect(answers.filter(({ status }) => ![200, 404, 422].includes(status)).map(({ text }) => text)).toEqual(
      [],
    );
  }
  expect(await deadlocks(files.service)).toBe(before);
});

it('avatars that change beside the deletion of their files’ owners never end in a deadlock', async () => {
  const { admin } = people;
  const before = await deadlocks(files.service);
  for (let round = 0; round < 12; round++) {
    const pair = [];
    for (const name of ['giver', 'taker'])
      pair.push(
        await addPerson(files.service, `${name}_${'abcdefghijkl'[round]}`, `${name}${round}@mail.test`, name),
      );
    const staying = [people.owner, people.other];
    const rows = await files.service.sql<{ id: string }>(
      `INSERT INTO objectfiles (filename, extension, "contentType", "sizeInBytes", status, "userId")
       SELECT 'a.png', 'png', 'image/png', 1, 'ready', u.id FROM users u, generate_series(1, 3)
       WHERE u.username = ANY($1) RETURNING id`,
      [pair.map(({ username }) => username)],
    );
    const ids = rows.map(({ id }) => files.publicId(id));
    const avatar = (who: Person, at: number) => admin.call.put(`/users/${who.id}`, { avatarId: ids[at % 6] });
    await Promise.all([...pair, ...staying].map((who, i) => avatar(who, i)));
    const answers = await Promise.all([
      avatar(people.owner, 1),
      avatar(people.other, 4),
      admin.call.delete(`/users/${pair[0]?.id}`),
      avatar(people.owner, 5),
      avatar(people.other, 2),
      // Each of the two is deleted while the other one's file is its avatar.
      admin.call.delete(`/users/${pair[1]?.id}`),
      avatar(people.owner, 3),
      avatar(people.other, 0),
    ]);
    expect(answers.filter(({ status }) => ![200, 404, 422].includes(status)).map(({ text }) => text)).toEqual(
      [],
    );
    expect([answers[2]?.status, answers[5]?.status]).toEqual([200, 200]);
  }
  expect(await deadlocks(files.service)).toBe(before);
});
