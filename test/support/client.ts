import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import { CATALOGUE } from '../../src/common/errors.js';

/** JSON of an answer, loosely typed: tests look into it freely. */
export type Json = { [key: string]: any }; // eslint-disable-line @typescript-eslint/no-explicit-any

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
  readonly text: string;
}

/** What a call may have beside method and path. */
export interface Call {
  readonly headers?: Record<string, string>;
  /** Sent as JSON; a string or bytes are sent as they are. */
  readonly body?: unknown;
  /** The good answer need not be JSON; if it is none, `body` is empty. */
  readonly anyType?: boolean;
  /** The route may throw HTTP exceptions of its own, which are not in the catalogue. */
  readonly own?: boolean;
}

const PAIRS = new Set<string>(Object.values(CATALOGUE).map(({ status, code }) => `${status} ${code}`));
/** What must never stand in any answer. */
const LEAKS =
  /node_modules|\bat [\w.<>]+ \(|SELECT .* FROM|INSERT INTO|duplicate key value|violates \w+(?: \w+)? constraint|(?:relation|column|constraint) \\?"|\$argon2|pk_[0-9A-Za-z]{43}|secretHash|passwordHash|tokenHash|Folded|\/work\/|\.ts:\d|\.js:\d/;

/** A caller of the service over HTTP, with or without a session. Every answer is held against the standing assertions. */
export class Caller {
  constructor(
    readonly base: string,
    readonly cookie?: string,
    readonly version = 'v1',
  ) {}

  /** The same caller in another version of the API. */
  in(version: string): Caller {
    return new Caller(this.base, this.cookie, version);
  }

  get(path: string, call?: Call): Promise<Answer> {
    return this.send('GET', path, call);
  }

  post(path: string, body?: unknown, call?: Call): Promise<Answer> {
    return this.send('POST', path, { ...call, body });
  }

  put(path: string, body?: unknown, call?: Call): Promise<Answer> {
    return this.send('PUT', path, { ...call, body });
  }

  delete(path: string, call?: Call): Promise<Answer> {
    return this.send('DELETE', path, call);
  }

  /** `path` under `/api/v1` or another version, or from the root when it begins with `//`. */
  async send(method: string, path: string, call: Call = {}): Promise<Answer> {
    const { headers = {}, body, anyType = false, own = false } = call;
    const url = path.startsWith('//') ? this.base + path.slice(1) : `${this.base}/api/${this.version}${path}`;
    const asIs = typeof body === 'string' || body instanceof Uint8Array;
    const answer = await exchange(method, url, {
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.cookie ? { cookie: `appSessionId=${this.cookie}` } : {}),
        ...headers,
      },
      body: body === undefined || asIs ? body : JSON.stringify(body),
      anyType,
    });
    standing(answer, method, path, { anyType, own });
    return answer;
  }
}

const agent = new Agent({ keepAlive: true });

/** One request. Node's own client: a test's every answer goes through here, and `fetch` costs more than the service. */
async function exchange(
  method: string,
  url: string,
  {
    headers,
    body,
    anyType,
  }: { headers: Record<string, string>; body: string | Uint8Array | undefined; anyType: boolean },
): Promise<Answer> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const call = request(url, { method, agent, headers: { ...length, ...headers } });
  call.on('error', () => undefined); // after the response there may be one more: an unread body that can't be sent
  call.end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const bodyText = await text(response);
  const isJson = !anyType || isJsonType(response.headers['content-type']);
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(pairs(response.rawHeaders)),
    text: bodyText,
    body: isJson ? parse(bodyText, method) : {},
  };
}

const isJsonType = (type: string | null | undefined) => type?.startsWith('application/json') ?? false;

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, i) => (i % 2 ? [] : [[name, raw[i + 1] ?? ''] as [string, string]]));
}

function parse(text: string, method: string): Json {
  if (method === 'HEAD' || (method === 'OPTIONS' && text === '')) return {};
  return JSON.parse(text) as Json;
}

/**
 * What holds for every answer of every test. Compared by hand, and told only when it doesn't hold: with so many answers,
 * Jest's expect takes longer than what is tested.
 */
export function standing(
  answer: Answer,
  method: string,
  path: string,
  { anyType = false, own = false }: Pick<Call, 'anyType' | 'own'> = {},
): void {
  const where = `${method} ${path} → ${answer.status} ${answer.text.slice(0, 300)}`;
  const { body, headers, status, text } = answer;
  const hold = (what: string, actual: unknown, expected: unknown) => {
    if (actual !== expected) expect([where, what, actual]).toEqual([where, what, expected]);
  };
  hold('x-content-type-options', headers.get('x-content-type-options'), 'nosniff');
  hold('x-powered-by', headers.get('x-powered-by'), null);
  hold('server', headers.get('server'), null);
  if (status === 500) throw new Error(where);
  if (method === 'HEAD' || status === 204) return;
  if (anyType && status < 400 && !isJsonType(headers.get('content-type'))) return;
  hold('content-type', headers.get('content-type'), 'application/json; charset=utf-8');
  hold('body', typeof body === 'object' && !Array.isArray(body), true);
  // The create answer of an API key is the one place for its secret.
  const shown =
    path.startsWith('/apikeys') && method === 'POST' ? text.replace(/"privateKey":"[^"]*"/, '') : text;
  hold('leak', LEAKS.exec(shown)?.[0], undefined);
  if (status >= 400) {
    const error = body.error as Json;
    hold(
      'members',
      Object.keys(body)
        .filter((key) => key !== 'warnings')
        .join(),
      'error',
    );
    hold('members of error', Object.keys(error).sort().join(), 'code,data,message');
    const pair = `${status} ${String(error.code)}`;
    if (!PAIRS.has(pair) && !(own && error.code === status))
      throw new Error(`${where}: ${pair} is not in the catalogue`);
  }
}
