import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { FirstAdmin } from '../src/kinds/user/first-admin.js';
import type { Json } from './support/client.js';
import { startTestService, type TestService } from './support/service.js';

const run = promisify(execFile);
/** What the reader of the tour was shown by the first start. */
const ADMIN_PASSWORD = 'shown by the first start';
let service: TestService;

beforeAll(async () => {
  service = await startTestService({ env: { ADMIN_PASSWORD, CRON_CONCURRENCY: '2' } });
  await service.app.get(FirstAdmin, { strict: false }).ensure();
});
afterAll(() => service.stop());

describe('docs/tour.md', () => {
  it('works as written', async () => {
    const page = await readFile('docs/tour.md', 'utf8');
    const blocks = [...page.matchAll(/```sh tour\n([^]*?)```/g)].map((match) => match[1] ?? '');
    expect(blocks.length).toBeGreaterThan(5);
    const script = blocks.join('\n').replace('http://localhost:3000', service.url);
    const cwd = await mkdtemp(join(tmpdir(), 'kindred-tour-'));
    try {
      // One answer a line: every curl ends its own.
      const { stdout } = await run('bash', ['-euc', `curl() { command curl "$@"; echo; }\n${script}`], {
        cwd,
        env: { ...process.env, ADMIN_PASSWORD },
      });
      const answers = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Json);
      const [
        signedUp,
        session,
        whoami,
        keySession,
        me,
        changed,
        stranger,
        imported,
        page,
        found,
        nothing,
        keys,
        deleted,
        over,
        adminSession,
        job,
        runs,
        deletedJob,
      ] = answers;
      expect(answers).toHaveLength(18);
      expect(Object.keys(signedUp?.props as Json)).toEqual(['id', 'createdAt', 'updatedAt', 'avatarId']);
      expect(session).toMatchObject({ props: { type: 'password' } });
      expect(whoami).toMatchObject({
        props: { username: 'olive', email: 'olive@example.com', admin: false },
      });
      expect(keySession).toMatchObject({ props: { type: 'apiKey' } });
      expect(me).toMatchObject({
        meta: { kind: 'User', isOwner: true },
        links: { apikeys: { methods: ['GET'] } },
      });
      expect(changed).toMatchObject({
        props: { useAsDisplayName: 'realName', admin: false },
        warnings: [{ code: 403, data: 'admin' }],
      });
      expect(stranger).toMatchObject({ meta: { displayName: 'Olive Example', isOwner: false } });
      expect(JSON.stringify(stranger)).not.toContain('olive@');
      expect(typeof (imported?.props as Json).avatarId).toBe('string');
      expect(await sharp(join(cwd, 'avatar.png')).metadata()).toMatchObject({ format: 'png', width: 300 });
      expect(page).toMatchObject({ paging: { itemsPerPage: 5, totalItems: 2 } });
      expect(found).toMatchObject({ paging: { totalItems: 1 }, items: [{ props: { username: 'olive' } }] });
      expect(nothing).toMatchObject({ paging: { totalItems: 0 }, items: [] });
      expect(keys).toMatchObject({
        items: [{ props: { name: 'laptop' }, related: { user: { props: { username: 'olive' } } } }],
      });
      expect(JSON.stringify(keys)).not.toContain('pk_');
      expect(deleted).toMatchObject({ props: { name: 'laptop' }, meta: { deleted: true } });
      expect(over).toMatchObject({ error: { code: 401 } });
      expect(adminSession).toMatchObject({ props: { type: 'password' } });
      expect(job).toMatchObject({ props: { timezone: 'Europe/Berlin', enabled: true, lastRunAt: null } });
      expect(runs).toMatchObject({
        paging: { totalItems: 1 },
        items: [{ props: { status: 'succeeded', attempt: 1, error: null } }],
      });
      expect(deletedJob).toMatchObject({ props: { handler: 'Test' } });
    } finally {
      await rm(cwd, { recursive: true, force: true });
    }
  });
});
