import { expect } from '@jest/globals';
import { TEST_KINDS } from '../kinds/kinds.js';
import { type Answer, Caller } from '../support/client.js';
import { PASSWORD, type Person } from '../support/fixture.js';
import { startTestService, type TestService } from '../support/service.js';
import { errorOf, propsOf } from '../support/answers.js';

/** Milliseconds of a day. */
export const DAY_MS = 24 * 3600 * 1000;

/** The body of a login by the person's API key. */
export const keyLogin = ({ key }: Person) => ({ apiKey: key.id, privateKey: key.privateKey });
/** The body of a login by password. */
export const passwordLogin = (login: string, password = PASSWORD) => ({ login, password });

/** Another instance of the service with other settings, on the same database. */
export async function withInstance<T>(
  service: TestService,
  env: Record<string, string>,
  work: (other: TestService) => Promise<T>,
): Promise<T> {
  const other = await startTestService({ kinds: TEST_KINDS, databaseUrl: service.databaseUrl, env });
  try {
    return await work(other);
  } finally {
    await other.stop();
  }
}

/** Logs in, and speaks with the new session. */
export async function logIn(
  anon: Caller,
  body: object,
): Promise<{ call: Caller; answer: Answer; id: string }> {
  const answer = await anon.post('/sessions', body);
  expect(answer.status).toBeLessThan(300);
  const id = String(propsOf(answer).id);
  return { answer, id, call: new Caller(anon.base, id) };
}

/** The one Set-Cookie of that name in an answer, attribute by attribute, names in lower case. */
export function cookieOf(answer: Answer, cookie = 'appSessionId'): Record<string, string> {
  const lines = answer.headers.getSetCookie().filter((line) => line.startsWith(`${cookie}=`));
  expect(lines).toHaveLength(1);
  const pairs = (lines[0] ?? '').split('; ').map((part) => {
    const [name = '', value = ''] = part.split(/=(.*)/s);
    return [name === cookie ? name : name.toLowerCase(), value];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** The answer sets no cookie. */
export const expectNoCookie = (answer: Answer) => expect(answer.headers.getSetCookie()).toEqual([]);

/** 401, and the browser is told to forget the cookie. */
export function expectEnded(answer: Answer): void {
  expect([answer.status, errorOf(answer)]).toEqual([
    401,
    { code: 401, message: expect.any(String), data: null },
  ]);
  const cookie = cookieOf(answer);
  expect(cookie).toMatchObject({ appSessionId: '', path: '/' });
  const past = cookie['max-age'] === '0' || Date.parse(cookie.expires ?? '') < Date.now();
  expect(past).toBe(true);
}

/** The session is that of its person. */
export const expectAlive = async ({ call, id }: Person) => {
  const answer = await call.get('/users/whoami');
  expect([answer.status, propsOf(answer).id]).toEqual([200, id]);
};
