import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import sharp from 'sharp';
import { unavailable } from '../../src/common/errors.js';
import { FileLeases } from '../../src/files/file-leases.js';
import { ApiVersions } from '../../src/record/api-versions.js';
import type { Json } from '../support/client.js';
import type { Fixture } from '../support/fixture.js';
import { idOfNoRow } from '../support/rows.js';
import { FileService, onBothDrivers, type Upload } from './file-service.js';
import { picture } from './images.js';
import { WITH_REPORTS } from '../kinds/report.js';

/* Uploads from the create to the import, and what may go wrong on the way. */

onBothDrivers('the upload flow', (driver) => {
  let files: FileService;
  let people: Fixture;
  let png: Buffer;

  beforeAll(async () => {
    files = await FileService.start(driver, { MAX_PENDING_FILES: '60' }, WITH_REPORTS);
    png = await picture('png');
  });
  afterAll(() => files.stop());
  beforeEach(async () => {
    people = await files.reset();
  });

  it('creates, uploads, imports and shows an avatar', async () => {
    const { owner, anon } = people;
    const before = (await anon.get(`/users/${owner.id}?includeLinks=true`)).body.links as Json;
    const upload = await files.upload(owner, 'Olive.PNG', 'image/png', png);
    const { status, body } = await owner.call.put(
      `/users/${owner.id}/import-avatar?includeRelated=avatar&includeLinks=true&includeMeta=true`,
      { objectFileId: upload.id, extra: 1 },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      props: { id: owner.id, avatarId: upload.id },
      meta: { kind: 'User' },
      related: {
        avatar: {
          props: { status: 'ready', extension: 'png', metadata: { width: 300, height: 300, format: 'png' } },
        },
      },
      warnings: [{ code: 400, data: 'extra' }],
    });
    const { href } = (body.links as Record<string, { href: string }>).avatarImage ?? { href: '' };
    expect(href).not.toBe((before.avatarImage as Json).href);
    const image = await files.fetched(href);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(image.headers.get('cache-control')).toContain('immutable');
    expect(await sharp(image.bytes).metadata()).toMatchObject({ width: 300, height: 300, format: 'png' });
    expect((await files.fetched(href, { 'if-none-match': image.headers.get('etag') ?? '' })).status).toBe(
      304,
    );
    expect((await anon.get(`/users/${owner.id}/avatar`)).status).toBe(404);
    expect(
      ((await owner.call.get(`/objectfiles/${upload.id}/avatarusers`)).body.items as Json[])[0],
    ).toMatchObject({
      props: { id: owner.id },
    });
    await files.expectNoOrphans();
    expect(await files.objects('staging')).toEqual([]);
  });

  it('nobody imports the file of another user, or into another user', async () => {
    const { owner, other } = people;
    const upload = await files.upload(owner, 'a.png', 'image/png', png);
    expect((await files.importAvatar(other, upload)).status).toBe(403);
    expect((await files.importAvatar(owner, upload, other)).status).toBe(403);
    expect(
      (await people.anon.put(`/users/${owner.id}/import-avatar`, { objectFileId: upload.id })).status,
    ).toBe(401);
    expect(await files.avatarOf(other)).toBeNull();
    expect(await files.statusOf(owner, upload)).toBe('pending');
    // Whether there is such a file is told to those alone who own them all.
    const none = { ...upload, id: idOfNoRow(files.service, 'ObjectFile') };
    expect((await files.importAvatar(other, none)).body).toEqual(
      (await files.importAvatar(other, upload)).body,
    );
    expect((await files.importAvatar(people.admin, none)).status).toBe(422);
    expect((await files.importAvatar(owner, upload)).status).toBe(200);
  });

  it('an import before the upload changes nothing', async () => {
    const { owner } = people;
    const upload = await files.create(owner, 'a.png', 'image/png', png.length);
    const early = await files.importAvatar(owner, upload);
    expect([early.status, (early.body.error as Json).message]).toEqual([
      409,
      expect.stringContaining('PUT its bytes'),
    ]);
    expect(await files.put(upload, png)).toBe(200);
    expect((await files.importAvatar(owner, upload)).status).toBe(200);
  });

  it('a second import is refused and harms nothing', async () => {
    const { owner } = people;
    const upload = await files.avatar(owner, 'a.png', 'image/png', png);
    expect((await files.importAvatar(owner, upload)).status).toBe(409);
    await files.tidy();
    expect(await files.avatarOf(owner)).toBe(upload.id);
    expect((await files.served(owner, upload)).status).toBe(200);
    await files.expectNoOrphans();
  });

  it('of two imports at once one wins', async () => {
    const { owner } = people;
    const upload = await files.upload(owner, 'a.png', 'image/png', png);
    const answers = await Promise.all([1, 2, 3].map(() => files.importAvatar(owner, upload)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await files.served(owner, upload)).status).toBe(200);
    await files.expectNoOrphans();
  });

  it('bytes that change during the import are never served', async () => {
    const { owner } = people;
    const html = Buffer.alloc(png.length, '<script>1</script>');
    for (let round = 0; round < 6; round++) {
      const upload = await files.upload(owner, 'a.png', 'image/png', png);
      const [answer] = await Promise.all([files.importAvatar(owner, upload), files.put(upload, html)]);
      expect([200, 415]).toContain(answer.status);
      if (answer.status !== 200) continue;
      const served = await files.served(owner, upload);
      expect((await sharp(served.bytes).metadata()).format).toBe('png');
    }
    await files.expectNoOrphans();
  });

  it('a URL used again after the import reaches nothing that is served, and its bytes go', async () => {
    const { owner } = people;
    const upload = await files.avatar(owner, 'a.png', 'image/png', png);
    const before = (await files.served(owner, upload)).bytes;
    await files.tidy(); // the cleaner takes the bytes that were imported, some time after the answer
    // Nobody waits for it: a storage of others takes it nevertheless, ours does not.
    const again = await files.put(upload, Buffer.alloc(png.length, 'x'));
    expect(again).toBe(driver === 'S3' ? 200 : 403);
    expect(await files.objects('staging')).toHaveLength(driver === 'S3' ? 1 : 0);
    expect((await files.served(owner, upload)).bytes).toEqual(before);
    await files.tidy();
    await files.service.sql(`UPDATE storage_removals SET "dueAt" = now() WHERE key LIKE 'staging/%'`);
    await files.tidy();
    expect(await files.objects('staging')).toEqual([]);
  });

  it('what comes to a key that was let go is removed when its URL is over, and a day later', async () => {
    const { owner } = people;
    const removals = () =>
      files.service.sql<{ minutes: number; last: boolean }>(
        `SELECT round(extract(epoch FROM "dueAt" - now()) / 60)::int AS minutes, "againAt" IS NULL AS last
         FROM storage_removals WHERE key LIKE 'staging/%'`,
      );
    const due = async (againIn: string) => {
      await files.service.sql(
        `UPDATE storage_removals SET "dueAt" = now(), "againAt" = "againAt" - '1 day 16 min'::interval + $1::interval`,
        [againIn],
      );
      await files.tidy();
    };
    const upload = await files.avatar(owner, 'a.png', 'image/png', png);
    await files.tidy();
    expect(await removals()).toEqual([{ minutes: 15, last: false }]);
    await due('1 day');
    expect(await removals()).toEqual([{ minutes: 24 * 60 - 1, last: true }]);
    await due('0');
    expect(await removals()).toEqual([]);
    expect((await files.served(owner, upload)).status).toBe(200);
  });

  /** An import that stands just before its transaction, with everything stored, while `meanwhile` happens. */
  async function heldImport(upload: Upload, meanwhile: () => Promise<void>) {
    const client = new Client({ connectionString: files.service.databaseUrl });
    await client.connect();
    let answer;
    try {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM users FOR UPDATE');
      let isOver = false;
      answer = files.importAvatar(people.owner, upload).finally(() => (isOver = true));
      while (!isOver && (await files.objects('final')).length < 2) await sleep(10);
      expect(isOver).toBe(false);
      await meanwhile();
    } finally {
      await client.end();
    }
    return answer;
  }

  it('an import that is slower than its lease attaches nothing whose bytes may be gone', async () => {
    const { owner } = people;
    const upload = await files.upload(owner, 'a.png', 'image/png', png);
    const due = () => files.service.sql('UPDATE storage_removals SET "dueAt" = now()');
    const late = await heldImport(upload, async () => {
      const [key = '', other = ''] = await files.objects('final');
      const stored = join(files.dataDir, 'late');
      await writeFile(stored, await files.bytesOf(key));
      await due();
      await files.tidy();
      expect(await files.objects('final')).toEqual([]);
      // A storage may finish even later what it had begun to store.
      await files.storage.store(key, stored, 'image/png');
      await files.storage.store(other, stored, 'image/png');
    });
    expect(late.status).toBe(503);
    expect(await files.statusOf(owner, upload)).toBe('pending');
    await files.expectNoOrphans();
    expect(await files.objects('final')).toEqual([]);
    // A removal that failed may have been carried out too.
    const doubtful = await heldImport(upload, async () => {
      await files.service.sql('UPDATE storage_removals SET tries = 1');
    });
    expect(doubtful.status).toBe(503);
    await files.expectNoOrphans();
    expect((await files.importAvatar(owner, upload)).status).toBe(200);
    await due();
    await files.tidy();
    expect((await files.served(owner, upload)).status).toBe(200);
  });

  it('an importer that has lost its lease changes nothing', async () => {
    const { owner } = people;
    const upload = await files.upload(owner, 'a.png', 'image/png', png);
    const columns = 'status, claim, "claimedUntil", "fileKey", "stagingKey", "sizeInBytes"';
    const row = () => files.service.sql(`SELECT ${columns} FROM objectfiles`);
    const takeOver = `UPDATE objectfiles SET claim = 'another', "claimedUntil" = now() + interval '1 minute'`;
    let before: unknown[] = [];
    const late = await heldImport(upload, async () => {
      await files.service.sql(takeOver);
      before = await row();
    });
    expect(late.status).toBe(409);
    expect(await row()).toEqual(before);
    expect(await files.avatarOf(owner)).toBeNull();
    await files.tidy();
    expect([await files.objects('final'), await files.objects('staging')]).toEqual([[], [expect.anything()]]);
    // Nor does it when it comes to say that the file is bad, or that nothing came of it.
    await files.service.sql('UPDATE objectfiles SET claim = NULL, "claimedUntil" = NULL');
    const claims = files.service.app.get(FileLeases);
    const [{ id } = { id: '' }] = await files.service.sql<{ id: string }>('SELECT id FROM objectfiles');
    const claim = await claims.take(id);
    await files.service.sql(takeOver);
    before = await row();
    await expect(claims.fail(claim, 'verifyFailed')).rejects.toMatchObject({ status: 409 });
    await claims.release(claim);
    expect(await row()).toEqual(before);
    // And as long as the lease of another holds, nobody gets one.
    expect((await files.importAvatar(owner, upload)).status).toBe(409);
    expect(await row()).toEqual(before);
  });

  it('a file that is larger than declared is refused', async () => {
    const { owner } = people;
    const upload = await files.create(owner, 'a.png', 'image/png', 1000);
    expect(await files.put(upload, Buffer.alloc(5 * 1024 * 1024))).toBe(403);
    expect((await files.importAvatar(owner, upload)).status).toBe(409);
    expect(await files.objects('staging')).toEqual([]);
  });

  it('a file whose size in the storage is not the declared one fails verification for good', async () => {
    const { owner } = people;
    const upload = await files.upload(owner, 'a.png', 'image/png', png);
    await files.service.sql('UPDATE objectfiles SET "sizeInBytes" = "sizeInBytes" + 1');
    expect((await files.importAvatar(owner, upload)).status).toBe(422);
    expect(await files.statusOf(owner, upload)).toBe('verifyFailed');
    expect((await files.importAvatar(owner, upload)).status).toBe(409);
    await files.expectNoOrphans();
    expect(await files.objects('staging')).toEqual([]);
  });

  describe('while the storage is unavailable', () => {
    let upload: Upload;
    beforeEach(async () => {
      upload = await files.upload(people.owner, 'a.png', 'image/png', png);
    });

    it('creates and all other requests are answered', async () => {
      await files.cut();
      try {
        await files.create(people.owner, 'b.png', 'image/png', 10);
        expect((await people.anon.get('/users?itemsPerPage=1')).status).toBe(200);
      } finally {
        await files.fix();
      }
    });

    it('an import is 503 and leaves the file pending', async () => {
      await files.cut();
      const { status, headers } = await files.importAvatar(people.owner, upload);
      expect([status, headers.get('retry-after')]).toEqual([503, '2']);
      await files.fix();
      expect(await files.statusOf(people.owner, upload)).toBe('pending');
      expect((await files.importAvatar(people.owner, upload)).status).toBe(200);
      await files.expectNoOrphans();
    });

    it('a deletion is done, and its bytes go when the storage is back', async () => {
      await files.cut();
      expect((await people.owner.call.delete(`/objectfiles/${upload.id}`)).status).toBe(200);
      await files.tidy();
      await files.fix();
      expect(await files.objects('staging')).not.toEqual([]);
      await files.service.sql('UPDATE storage_removals SET "dueAt" = now()');
      await files.tidy();
      expect(await files.objects('staging')).toEqual([]);
    });
  });

  it('a replaced avatar is deleted, unless something else uses it or it belongs to another user', async () => {
    const { owner, other, admin } = people;
    const first = await files.avatar(owner, 'a.png', 'image/png', png);
    const second = await files.avatar(owner, 'b.png', 'image/png', png);
    expect(await files.statusOf(admin, first)).toBe(404);
    expect((await admin.call.put(`/users/${other.id}`, { avatarId: second.id })).status).toBe(200);
    const third = await files.avatar(owner, 'c.png', 'image/png', png);
    expect(await files.statusOf(admin, second)).toBe('ready');
    await files.avatar(other, 'd.png', 'image/png', png);
    expect(await files.statusOf(admin, second)).toBe('ready');
    expect((await owner.call.put(`/users/${owner.id}`, { avatarId: null })).status).toBe(200);
    expect(await files.statusOf(admin, third)).toBe(404);
    await files.expectNoOrphans();
  });

  it('a deleted file is no avatar any more', async () => {
    const { owner, anon } = people;
    const upload = await files.avatar(owner, 'a.png', 'image/png', png);
    expect((await owner.call.delete(`/objectfiles/${upload.id}`)).status).toBe(200);
    const { status, body } = await owner.call.get(
      `/users/${owner.id}?includeRelated=avatar&includeLinks=true`,
    );
    expect([status, (body.props as Json).avatarId, (body.related as Json).avatar]).toEqual([200, null, null]);
    expect((await anon.get(`/users/${owner.id}/avatar`)).status).toBe(404);
    const { href } = (body.links as Record<string, { href: string }>).avatarImage ?? { href: '' };
    expect((await files.fetched(href)).headers.get('content-type')).toContain('image/svg+xml');
    await files.expectNoOrphans();
    expect(await files.objects('final')).toEqual([]);
  });

  it('a deleted user leaves no bytes', async () => {
    const { other } = people;
    await files.avatar(other, 'a.png', 'image/png', png);
    await files.upload(other, 'b.png', 'image/png', png);
    expect((await other.call.delete(`/users/${other.id}`)).status).toBe(200);
    await files.tidy();
    expect(await files.storage.keys()).toEqual([]);
  });

  it('unfinished uploads are deleted after a day, finished ones are not', async () => {
    const { owner, admin } = people;
    const oldReady = await files.avatar(owner, 'a.png', 'image/png', png);
    const oldPending = await files.upload(owner, 'b.png', 'image/png', png);
    await files.service.sql(`UPDATE objectfiles SET "createdAt" = now() - interval '25 hours'`);
    const newPending = await files.upload(owner, 'c.png', 'image/png', png);
    await files.tidy();
    expect(await files.statusOf(admin, oldPending)).toBe(404);
    expect(await files.statusOf(admin, oldReady)).toBe('ready');
    expect(await files.statusOf(admin, newPending)).toBe('pending');
    expect(await files.objects('staging')).toHaveLength(1);
  });

  it('a sweep leaves alone a file that is being imported', async () => {
    const { owner, admin } = people;
    const upload = await files.upload(owner, 'a.png', 'image/png', png);
    const ends = (when: string) =>
      files.service.sql(
        `UPDATE objectfiles SET "createdAt" = now() - interval '25 hours', "claimedUntil" = ${when}`,
      );
    await ends(`now() + interval '1 minute'`);
    await files.tidy();
    expect(await files.statusOf(admin, upload)).toBe('pending');
    expect(await files.objects('staging')).toHaveLength(1);
    await ends('now()');
    await files.tidy();
    expect(await files.statusOf(admin, upload)).toBe(404);
  });

  it('an import during a deletion, or during the import of another avatar, leaves no reference to nothing', async () => {
    const { owner } = people;
    for (let round = 0; round < 8; round++) {
      const upload = await files.upload(owner, 'a.png', 'image/png', png);
      const [imported, deleted] = await Promise.all([
        files.importAvatar(owner, upload),
        new Promise((resolve) => setTimeout(resolve, round * 25)).then(() =>
          owner.call.delete(`/objectfiles/${upload.id}`),
        ),
      ]);
      expect([200, 403, 404, 409]).toContain(imported.status);
      expect(deleted.status).toBe(200);
      const { status, body } = await owner.call.get(`/users/${owner.id}?includeRelated=avatar`);
      expect([status, (body.props as Json).avatarId]).toEqual([200, null]);
    }
    // What a lost import had stored is due at once.
    await files.expectNoOrphans();
    expect(await files.objects('final')).toEqual([]);
  });

  it('an answer that fails after the import was stored takes no byte away', async () => {
    const { owner } = people;
    const upload = await files.upload(owner, 'a.png', 'image/png', png);
    // What stands beside the record is loaded when the import is stored already.
    const { lists } = files.service.app.get(ApiVersions).engine('v1');
    const load = lists.rows.bind(lists);
    const broken = jest.spyOn(lists, 'rows').mockImplementation(async (statement) => {
      const rows = await load(statement);
      if (rows.some((row) => row.status === 'ready')) throw unavailable();
      return rows;
    });
    const answer = await owner.call.put(`/users/${owner.id}/import-avatar?includeRelated=avatar`, {
      objectFileId: upload.id,
    });
    broken.mockRestore();
    expect(answer.status).toBe(503);
    await files.tidy();
    expect(await files.avatarOf(owner)).toBe(upload.id);
    expect((await files.served(owner, upload)).status).toBe(200);
    await files.expectNoOrphans();
  });

  it('an update that sets the avatar checks the same things as an import', async () => {
    const { owner, other } = people;
    const foreign = await files.avatar(owner, 'a.png', 'image/png', png);
    const pending = await files.upload(other, 'p.png', 'image/png', png);
    const text = await files.upload(other, 'd.txt', 'text/plain', Buffer.from('text'));
    const set = async (avatarId: unknown) =>
      (await other.call.put(`/users/${other.id}`, { avatarId })).status;
    expect(await set(foreign.id)).toBe(403);
    expect(await set(pending.id)).toBe(409);
    expect(await set(text.id)).toBe(415);
    expect((await files.importAvatar(other, text)).status).toBe(415);
    expect(await files.statusOf(other, text)).toBe('pending');
    for (const value of [other.id, 'vNotAnId', 1, '', { id: 1 }]) expect(await set(value)).toBe(422);
    for (const value of [other.id, 'vNotAnId', 1, '', null, { id: 1 }]) {
      expect((await other.call.put(`/users/${other.id}/import-avatar`, { objectFileId: value })).status).toBe(
        422,
      );
    }
    expect(await files.avatarOf(other)).toBeNull();
  });
});
