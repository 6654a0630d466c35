import { Agent } from 'node:http';
import sharp from 'sharp';
import { times } from '../support/times.js';
import { type Account, type Attack, get, hold, open, PASSWORD, post, put, uploaded } from './attack.js';

const MIB = 1024 * 1024;

/** JSON bodies that careless readers need hours for. */
const BODIES = [
  `{"a":1.${'0'.repeat(60_000)}1}`,
  `{"a":1.${'0'.repeat(MIB - 100)}1}`,
  `{"a":1e5,"${'\\"'.repeat(30_000)}`,
  `{"a":1e5,"b":"${'\\"'.repeat(MIB / 2 - 100)}`,
];

/** JSON bodies of a MiB that are dear to whoever parses them first and counts later. */
const WIDE = [
  `{"a":[${'1,'.repeat(MIB / 2 - 100)}1]}`,
  `{"a":[${'[],'.repeat(MIB / 3 - 100)}1]}`,
  `{"a":${'['.repeat(MIB - 100)}`,
  `{"a":"${`a${'\u0301'.repeat(30)}`.repeat(MIB / 61 - 100)}"}`,
];

/** Sign-ups whose names take the square of their length to normalize, in the service or in the database. */
const MARKS = ['\u0300\u0323', '\u0301\uFF9E'].map((marks) =>
  JSON.stringify({ username: `a${marks.repeat(MIB / Buffer.byteLength(marks) - 100)}` }),
);

/** A picture of few bytes that takes long to decode. */
async function heavyPicture(): Promise<Buffer> {
  const create = {
    width: 3000,
    height: 3000,
    channels: 4,
    background: { r: 1, g: 2, b: 3, alpha: 0.5 },
  } as const;
  return sharp({ create }).png({ progressive: true }).toBuffer();
}

/** The device cookies that so many logins of one account set. */
async function devicesOf(url: string, { username }: Account, count: number): Promise<string[]> {
  const cookies: string[] = [];
  while (cookies.length < count) {
    const body = JSON.stringify({ login: username, password: PASSWORD });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/v1/sessions`, { method: 'POST', headers, body });
    const [cookie = ''] = answer.headers.getSetCookie().filter((one) => one.startsWith('appDeviceId='));
    cookies.push(cookie.split(';')[0] ?? '');
  }
  return cookies;
}

/** What attackers without much of anything do. Each runs beside another client, whose waits are measured. */
export const ATTACKS: readonly Attack[] = [
  {
    name: 'bodies of numbers and quotes without end',
    run: ({ url }) =>
      hold(
        [
          ...BODIES.map((body) => open(url, post(body))),
          ...MARKS.map((body) => open(url, post(body, 'users'))),
        ],
        3000,
      ),
  },
  {
    name: 'pages of the largest records',
    run: ({ url, cookie, large }) => {
      const one = get(`${large}?itemsPerPage=100`, cookie);
      return hold(
        times(12, () => open(url, one.repeat(50), false)),
        3000,
      );
    },
  },
  {
    name: 'pipelines of large pages',
    run: ({ url, cookie, large }) => {
      const one = get(`${large}?itemsPerPage=20`, cookie);
      return hold(
        times(20, () => open(url, one.repeat(700))),
        4000,
      );
    },
  },
  {
    name: 'pipelines of large pages, left after a moment',
    run: async ({ url, cookie, large }) => {
      const one = get(`${large}?itemsPerPage=20`, cookie);
      for (let round = 0; round < 10; round++) {
        await hold(
          times(10, () => open(url, one.repeat(700))),
          300,
        );
      }
    },
  },
  {
    name: 'large pages that nobody reads, on many connections',
    run: ({ url, cookie, large }) => {
      const one = get(`${large}?itemsPerPage=50`, cookie);
      return hold(
        times(300, () => open(url, one.repeat(3), false)),
        4000,
      );
    },
  },
  {
    name: 'more connections than one address may have',
    run: ({ url }) =>
      hold(
        times(500, () => open(url, 'GET / HTTP/1.1\r\nx: ')),
        2000,
      ),
  },
  {
    name: 'wrong passwords without end',
    run: ({ url }) => {
      const wrong = (i: number) => JSON.stringify({ login: `many${i}`, password: `wrong password ${i}` });
      return hold(
        times(40, (i) => open(url, times(50, (j) => post(wrong(50 * i + j), 'sessions')).join(''))),
        4000,
      );
    },
  },
  {
    name: 'logins with thousands of unknown props',
    run: ({ url, cookie }) => {
      const props = Object.fromEntries(times(5000, (i) => [`unknown${i}${'x'.repeat(30)}`, i]));
      const login = post(
        JSON.stringify({ ...props, login: 'nobody', password: 'wrong password' }),
        'sessions',
      );
      const write = post(JSON.stringify({ ...props, name: 'key' }), 'apikeys', cookie);
      return hold(
        times(20, (i) => open(url, (i % 2 ? login : write).repeat(5))),
        4000,
      );
    },
  },
  {
    name: 'the deletion of a user with very many records',
    run: async ({ url, cookie }) => {
      const headers = { cookie };
      const found = await fetch(`${url}/api/v1/users?search=heavy`, { headers });
      const { items } = (await found.json()) as { items: { props: { id: string } }[] };
      const path = `${url}/api/v1/users/${items[0]?.props.id}`;
      const { status } = await fetch(path, { method: 'DELETE', headers });
      if (status !== 200) throw new Error(`The deletion was answered ${status}.`);
      await hold([], 3000);
    },
  },
  {
    name: 'slow lists of one caller without end',
    run: ({ url, cookie }) => {
      // Each another one, so that none shares the answer of another.
      const lists = (i: number) =>
        times(10, (j) => get(`/api/v1/users?sortBy=email&search=many&page=${10 * i + j + 1}`, cookie)).join(
          '',
        );
      return hold(
        times(48, (i) => open(url, lists(i))),
        4000,
      );
    },
  },
  {
    name: 'logins of one account from very many devices',
    run: async ({ url, accounts: [account] }) => {
      if (!account) throw new Error('There is no account.');
      const login = JSON.stringify({ login: account.username, password: PASSWORD });
      const devices = await devicesOf(url, account, 25);
      await hold(
        devices.flatMap((device) => times(8, () => open(url, post(login, 'sessions', device)))),
        4000,
      );
    },
  },
  {
    name: 'uploads that are announced and never sent',
    run: ({ url, accounts }) => {
      const body = JSON.stringify({
        filename: 'a.png',
        contentType: 'image/png',
        sizeInBytes: 50 * MIB,
      });
      return hold(
        accounts
          .slice(0, 2)
          .flatMap(({ cookie }) => times(10, () => open(url, post(body, 'objectfiles', cookie).repeat(9)))),
        4000,
      );
    },
  },
  {
    name: 'imports of many accounts that fill the queue',
    run: async ({ url, accounts }) => {
      const png = await heavyPicture();
      const agent = new Agent();
      const imports = await Promise.all(
        accounts.map(async ({ id, cookie }) => {
          const body = JSON.stringify({ objectFileId: await uploaded(agent, url, cookie, png) });
          return put(body, `users/${id}/import-avatar`, cookie);
        }),
      );
      agent.destroy();
      await hold(
        imports.flatMap((one) => times(9, () => open(url, one))),
        6000,
      );
    },
  },
  {
    name: 'changes of one record without end',
    run: ({ url, accounts: [account] }) => {
      if (!account) throw new Error('There is no account.');
      const changes = (i: number) =>
        times(20, (j) =>
          put(JSON.stringify({ realName: `name ${i} ${j}` }), `users/${account.id}`, account.cookie),
        );
      return hold(
        times(300, (i) => open(url, changes(i).join(''))),
        4000,
      );
    },
  },
  {
    name: 'creates of one caller without end',
    run: ({ url, cookie }) => {
      const keys = (i: number) =>
        times(20, (j) => post(JSON.stringify({ name: `key ${i} ${j}` }), 'apikeys', cookie));
      return hold(
        times(300, (i) => open(url, keys(i).join(''))),
        4000,
      );
    },
  },
  {
    name: 'bodies of members, lists and marks, over and over',
    run: ({ url }) =>
      hold(
        times(8, (i) => open(url, post(WIDE[i % WIDE.length] ?? '').repeat(25))),
        4000,
      ),
  },
  {
    name: 'bodies that are never finished',
    run: ({ url }) => {
      const unfinished = post(JSON.stringify({ a: 'x'.repeat(MIB - 100) })).slice(0, -10);
      return hold(
        times(380, () => open(url, unfinished)),
        4000,
      );
    },
  },
];
