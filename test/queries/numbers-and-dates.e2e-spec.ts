import {
  ISO_DATE,
  expectAbsent,
  expectList,
  idOf,
  idsOf,
  recordOf,
  refusal,
  warningsOf,
} from '../support/answers.js';
import { userIds } from '../support/fixture.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Answer, Caller } from '../support/client.js';
import { listening } from '../support/listening.js';
import { createRecord } from '../support/belongings.js';
import { rowOf, setColumn } from '../support/rows.js';
import { people, service, useKindsService } from '../support/kinds-service.js';

/* How numbers and dates are read, in bodies and in queries. */

const APP_SECRET = 'a secret for tests alone, 32 characters';

useKindsService();

const encode = encodeURIComponent;

describe('numbers and dates', () => {
  it('integers are stored within their limits and refused beyond', async () => {
    const { owner } = people;
    const invoice = await createRecord(owner.call, '/dummyinvoices', { title: 'x' });
    // JSON as text: what JSON.stringify can't write.
    const post = (path: string, prop: string, json: string) =>
      owner.call.post(
        path,
        path === '/dummylineitems' ? `{"invoiceId":"${invoice}","${prop}":${json}}` : `{"${prop}":${json}}`,
      );
    const never = [
      '1.5',
      '"12"',
      'true',
      'false',
      '[]',
      '[1]',
      '{}',
      '1e21',
      '1e400',
      '-1e400',
      '""',
      '9007199254740993',
    ];
    for (const [path, prop, min, max] of [
      ['/dummythings', 'amount', '-9007199254740991', '9007199254740991'],
      ['/dummythings', 'score', '-1000', '1000000000000'],
      ['/dummylineitems', 'price', '0', '9007199254740991'],
    ] as const) {
      const beyond = [
        `${BigInt(min) - 1n}`,
        `${BigInt(max) + 1n}`,
        '9223372036854775807',
        '-9223372036854775808',
      ];
      for (const json of [...never, ...beyond]) {
        if (json === '""') continue; // empty is no value, see below
        const answer = await post(path, prop, json);
        expect([prop, json, ...refusal(answer)]).toEqual([prop, json, 422, 442, prop]);
      }
      for (const json of [min, max, '0', '7', '2147483647', '2147483648', '4294967296']) {
        const answer = await post(path, prop, json);
        expect([prop, json, answer.status]).toEqual([prop, json, 201]);
        expect(answer.text).toContain(`"${prop}":${json}`);
        const again = await owner.call.get(`${path}/${idOf(answer)}`);
        expect(recordOf(again).props[prop]).toBe(Number(json));
      }
      expect(recordOf(await post(path, prop, 'null')).props[prop]).toBeNull();
      // Spellings of one integral number (RFC 8259 §6).
      expect(recordOf(await post(path, prop, '1e2')).props[prop]).toBe(100);
      expect(recordOf(await post(path, prop, '-0')).props[prop]).toBe(0);
      expect(refusal(await post(path, prop, '01'))).toEqual([400, 400, null]);
      expect(refusal(await post(path, prop, '+1'))).toEqual([400, 400, null]);
    }
    const count = await service.sql('SELECT count(*)::int AS n FROM dummythings WHERE amount IS NOT NULL');
    expect(count).toEqual([{ n: 9 }]);
  });

  it('a fraction is never rounded to an integer without notice', async () => {
    // Near 2^52 a double has no room for fractions: the parser alone would make integers of these.
    for (const json of [
      '4503599627370497.3',
      '9007199254740990.6',
      '0.99999999999999999999',
      '7.00000000000000000001',
    ]) {
      const answer = await people.owner.call.post('/dummythings', `{"amount":${json}}`);
      expect([json, ...refusal(answer)]).toEqual([json, 422, 442, 'amount']);
    }
    // An integer in another spelling is one (an integral JSON number).
    const answer = await people.owner.call.post('/dummythings', '{"amount":70.0e-1}');
    expect([answer.status, recordOf(answer).props.amount]).toEqual([201, 7]);
  });

  it('an empty text is no number', async () => {
    const answer = await people.owner.call.post('/dummythings', { amount: '' });
    expect(refusal(answer)).toEqual([422, 442, 'amount']);
  });

  it('filters and ranges take integers in decimal digits alone', async () => {
    const { admin, owner } = people;
    const thing = await createRecord(owner.call, '/dummythings', { amount: 16 });
    const zero = await createRecord(owner.call, '/dummythings', { amount: 0 });
    const minus = await createRecord(owner.call, '/dummythings', { amount: -16 });
    const all = [thing, zero, minus];
    const wrong = [
      '0x10',
      '1_6',
      ' 16',
      '16 ',
      '16.0',
      '1.6e1',
      '١٦',
      '１６',
      '+16',
      '16n',
      '--16',
      '-',
      ' ',
      'NaN',
      'Infinity',
      '16,0',
      '99999999999999999999',
      '9007199254740993',
      '0b10000',
      'true',
    ];
    for (const value of wrong) {
      for (const [prefix, name] of [
        ['amount=', 'amount'],
        ['amount=%3E', 'amount'],
        ['amount=!=', 'amount'],
        ['_start_amount=', '_start_amount'],
        ['_end_amount=', '_end_amount'],
      ] as const) {
        const answer = await admin.call.get(`/dummythings?${prefix}${encode(value)}`);
        expect([prefix, value, ...refusal(answer)]).toEqual([prefix, value, 422, 442, name]);
      }
    }
    for (const empty of ['amount=', '_start_amount=', '_end_amount=', 'amount=&_start_amount=']) {
      expectList(await admin.call.get(`/dummythings?${empty}`), all);
    }
    expectList(await admin.call.get('/dummythings?amount=16'), [thing]);
    expectList(await admin.call.get('/dummythings?amount=-16'), [minus]);
    expectList(await admin.call.get('/dummythings?amount=0'), [zero]);
    expectList(await admin.call.get('/dummythings?amount=-0'), [zero]);
    expectList(await admin.call.get('/dummythings?amount=016'), [thing]);
    expectList(await admin.call.get('/dummythings?amount=%3E0'), [thing]);
    expectList(await admin.call.get('/dummythings?amount=%3E=0'), [thing, zero]);
    expectList(await admin.call.get('/dummythings?amount=%3C0'), [minus]);
    expectList(await admin.call.get('/dummythings?amount=%3C=0'), [zero, minus]);
    expectList(await admin.call.get('/dummythings?amount=%3C%3E0'), [thing, minus]);
    // Ranges are inclusive.
    expectList(await admin.call.get('/dummythings?_start_amount=0&_end_amount=16'), [thing, zero]);
    expectList(await admin.call.get('/dummythings?_start_amount=1&_end_amount=15'), []);
    expectList(await admin.call.get('/dummythings?_start_amount=16&_end_amount=0'), []);
  });

  it('invalid dates are refused in ranges, filters and bodies', async () => {
    const { anon, owner } = people;
    const wrong = [
      'abc',
      '2023-02-30',
      '2023-02-29',
      '2023-13-01',
      '2023-00-10',
      '2023-01-00',
      '0000-00-00',
      '0000-01-01',
      '20-12-31',
      '2023-02-28T25:00:00Z',
      '2023-02-29T25:00:00Z',
      '2023-02-28T24:00:00Z',
      '2023-02-28T12:60:00Z',
      '2023-02-28T12:00:60Z',
      '99999-01-01',
      '+275760-09-13T00:00:00.001Z',
      '-000001-01-01T00:00:00Z',
      '12:00',
      '{}',
      '2023-02-28T12:00:00',
      '2023-02-28 12:00:00Z',
      '2023-02-28T12:00:00+25:00',
      '2023-02-28T12:00:00.Z',
      '9999-12-31T23:59:59-14:00',
      '0001-01-01T00:00:00+14:00',
      'now',
      'today',
      'infinity',
      '-infinity',
      '1700000000',
      ' 2023-01-01',
    ];
    for (const value of wrong) {
      for (const path of [
        '/users?_start_createdAt=',
        '/users?_end_updatedAt=',
        '/users?createdAt=',
        '/dummythings?due=%3E',
      ]) {
        const name = path.slice(path.indexOf('?') + 1, path.indexOf('='));
        const answer = await anon.get(path + encode(value));
        expect([path, value, ...refusal(answer)]).toEqual([path, value, 422, 442, name]);
        expectAbsent(answer, ['timestamp', 'time zone', 'syntax']);
      }
      expect([value, ...refusal(await owner.call.post('/dummythings', { due: value }))]).toEqual([
        value,
        422,
        442,
        'due',
      ]);
    }
    for (const due of [0, 1700000000000, true, [], {}, '']) {
      expect([due, ...refusal(await owner.call.post('/dummythings', { due }))]).toEqual([
        due,
        422,
        442,
        'due',
      ]);
    }
    // Positive controls.
    expectList(await anon.get('/users?_start_createdAt=2020-02-29'), userIds(people));
    expectList(await anon.get('/users?_end_createdAt=2020-02-29T23:59:59.999Z'), []);
    expectList(await anon.get('/users?_start_createdAt='), userIds(people));
    for (const [sent, stored] of [
      ['2024-02-29', '2024-02-29T00:00:00.000Z'],
      ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
      ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
      ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
      ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.500Z'],
      ['1883-11-18T12:03:58.123Z', '1883-11-18T12:03:58.123Z'],
    ] as const) {
      const thing = await owner.call.post('/dummythings', { due: sent });
      expect([sent, recordOf(thing).props.due]).toEqual([sent, stored]);
      expect(recordOf(await anon.get(`/dummythings/${idOf(thing)}`)).props.due).toBe(stored);
      expectList(await anon.get(`/dummythings?due=${stored}`), [idOf(thing)]);
    }
  });

  it('dates with different offsets mean the same instant', async () => {
    const { anon, owner } = people;
    const thing = await createRecord(owner.call, '/dummythings', { name: 'timed' });
    await service.sql(
      `INSERT INTO dummythings (name, "createdAt") VALUES ('older', now() - interval '1 day')`,
    );
    const utc = String(recordOf(await anon.get(`/dummythings/${thing}`)).props.createdAt);
    const shifted = (hours: number) =>
      new Date(Date.parse(utc) + hours * 3_600_000).toISOString().slice(0, -1);
    const spellings = [utc, `${shifted(2)}+02:00`, `${shifted(-5)}-05:00`, `${shifted(0)}+00:00`];
    for (const text of spellings) {
      const t = encode(text);
      expectList(await anon.get(`/dummythings?_start_createdAt=${t}&_end_createdAt=${t}`), [thing]);
      expectList(await anon.get(`/dummythings?createdAt=${t}`), [thing]);
      expectList(await anon.get(`/dummythings?createdAt=${encode('>=')}${t}`), [thing]);
      expectList(await anon.get(`/dummythings?createdAt=${encode('>')}${t}`), []);
    }
    // A raw plus is a blank in a query: the date has a wrong format.
    const raw = `${shifted(2)}+02:00`;
    expect(refusal(await anon.get(`/dummythings?_start_createdAt=${raw}`))).toEqual([
      422,
      442,
      '_start_createdAt',
    ]);
    // One millisecond beside it finds nothing.
    const beside = new Date(Date.parse(utc) + 1).toISOString();
    expectList(await anon.get(`/dummythings?_start_createdAt=${beside}`), []);
    expectList(await anon.get(`/dummythings?_start_createdAt=${beside}&_end_createdAt=${beside}`), []);
  });

  it('a stored value that the API has no place for is null with a warning, and takes nothing down', async () => {
    const { owner, anon } = people;
    const odd: [prop: string, value: string][] = [
      ['due', 'infinity'],
      ['due', '-infinity'],
      ['due', '0044-03-15 12:00:00.5+00 BC'],
      ['due', '20000-01-01'],
      ['due', '294276-12-31 23:59:59.999+00'],
      ['touchedAt', 'infinity'],
      ['createdAt', '20000-01-01'],
      ['updatedAt', '20000-01-01 00:00:00.25'],
      ['updatedAt', '0044-03-15 BC'],
      ['updatedAt', 'infinity'],
      ['amount', '9007199254740993'],
      ['amount', '-9223372036854775808'],
      ['colour', 'octarine'],
    ];
    for (const [prop, value] of odd) {
      const what = [prop, value];
      const fine = await createRecord(owner.call, '/dummythings', { name: 'fine', amount: 1 });
      const id = await createRecord(owner.call, '/dummythings', {
        name: 'odd',
        amount: 1,
        due: '2026-01-01',
      });
      const target = ['DummyThing', id] as const;
      await setColumn(service, target, prop, value);
      const page = await anon.get(`/dummythings?includeRelated=user&sortBy=${prop}`);
      expect([...what, page.status, idsOf(page).sort()]).toEqual([...what, 200, [fine, id].sort()]);
      expect([...what, warningsOf(page)]).toEqual([...what, [`442 ${prop}`]]);
      const read = await owner.call.get(`/dummythings/${id}`);
      expect([...what, read.status, recordOf(read).props[prop], warningsOf(read)]).toEqual([
        ...what,
        200,
        null,
        [`442 ${prop}`],
      ]);
      expect(recordOf(read).props.name).toBe('odd');
      // Ids are random letters, which may say anything.
      const { id: _own, userId: _owner, ...others } = recordOf(read).props;
      expect(JSON.stringify(others)).not.toMatch(/infinity|BC|octarine|9007199254740993|20000|294276/);
      // Nothing in the header that a client could not send back.
      const etag = read.headers.get('etag') ?? '';
      expect([...what, etag]).toEqual([...what, expect.stringMatching(/^"[\x21\x23-\x7e]+"$/)]);
      const headers = { 'if-match': etag };
      const back = await owner.call.put(
        `/dummythings/${id}`,
        { ...recordOf(read).props, [prop]: undefined },
        { headers },
      );
      expect([...what, back.status, warningsOf(back)]).toEqual([...what, 200, [`442 ${prop}`]]);
      const changed = await owner.call.put(`/dummythings/${id}`, { name: 'changed' });
      expect([...what, changed.status, recordOf(changed).props.name]).toEqual([...what, 200, 'changed']);
      expect((await owner.call.delete(`/dummythings/${id}`)).status).toBe(200);
      expect((await owner.call.delete(`/dummythings/${fine}`)).status).toBe(200);
      const lines = service.log.filter((line) => line.includes(id) && line.includes('can’t be shown'));
      expect([...what, lines.length, lines[0]?.includes(`"prop":"${prop}"`)]).toEqual([...what, 1, true]);
    }
  });

  it('of a required prop, the null that stands for such a value leaves it as it is', async () => {
    const { owner } = people;
    const id = await createRecord(owner.call, '/dummyitems', { name: 'i', category: 'Food' });
    const target = ['DummyItem', id] as const;
    await setColumn(service, target, 'category', 'Drinks');
    const read = recordOf(await owner.call.get(`/dummyitems/${id}`)).props;
    expect(read.category).toBeNull();
    const back = await owner.call.put(`/dummyitems/${id}`, { ...read, name: 'j' });
    expect([back.status, warningsOf(back), recordOf(back).props.name]).toEqual([200, ['442 category'], 'j']);
    expect((await rowOf(service, target))?.category).toBe('Drinks');
    expect(refusal(await owner.call.put(`/dummyitems/${id}`, { category: '' }))).toEqual([
      422,
      441,
      'category',
    ]);
    expect(recordOf(await owner.call.put(`/dummyitems/${id}`, { category: 'Armor' })).props.category).toBe(
      'Armor',
    );
    expect(refusal(await owner.call.put(`/dummyitems/${id}`, { category: null }))).toEqual([
      422,
      441,
      'category',
    ]);
  });

  it('dates are answered in UTC with milliseconds, whatever the time zone of process and database', async () => {
    const { anon, owner } = people;
    const [row] = await service.sql<{ name: string }>('SELECT current_database() AS name');
    const times = (answer: Answer) => {
      const { createdAt, updatedAt } = recordOf(answer).props;
      expect(createdAt).toMatch(ISO_DATE);
      expect(updatedAt).toMatch(ISO_DATE);
      return [createdAt, updatedAt];
    };
    const before = times(await anon.get(`/users/${owner.id}`));
    expect(Math.abs(Date.parse(String(before[0])) - Date.now())).toBeLessThan(60_000);
    // The service as it is started in life, in other zones; the test's own service goes on beside it.
    await service.sql(`ALTER DATABASE "${row?.name ?? ''}" SET timezone TO 'Asia/Kolkata'`);
    const main = join(process.cwd(), 'dist/src/main.js');
    const child = spawn(process.execPath, [main], {
      env: {
        PATH: process.env.PATH,
        TZ: 'America/New_York',
        PGTZ: 'Asia/Kolkata',
        DATABASE_URL: service.databaseUrl,
        APP_SECRET,
        PORT: '0',
        LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      const [url = ''] = await listening(child);
      const there = new Caller(url, owner.sessionId);
      expect(times(await there.get(`/users/${owner.id}`))).toEqual(before);
      expectList(
        await there.get(`/users?createdAt=${String(before[0])}&_end_createdAt=${String(before[0])}`),
        [owner.id],
      );
      // A write in that zone is read as the same instant here.
      const key = await there.post('/apikeys', { name: 'zone', expiresAt: '2036-07-01T00:00:00.000Z' });
      expect(recordOf(key).props.expiresAt).toBe('2036-07-01T00:00:00.000Z');
      expect(Math.abs(Date.parse(String(recordOf(key).props.createdAt)) - Date.now())).toBeLessThan(60_000);
      const here = await owner.call.get(`/apikeys/${idOf(key)}`);
      expect(recordOf(here).props).toEqual(recordOf(key).props);
    } finally {
      await service.sql(`ALTER DATABASE "${row?.name ?? ''}" RESET timezone`);
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    }
  });
});
