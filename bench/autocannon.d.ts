/** The part of autocannon 9 that the benchmark uses; the package brings no types. */
declare module 'autocannon' {
  interface Request {
    method?: string;
    path?: string;
    headers?: Record<string, string>;
    body?: string;
    /** Called before each time that the request is sent. */
    setupRequest?: (request: Request) => Request;
  }

  /** One connection. */
  interface Client {
    /** What it sends, over and over. */
    setRequests(requests: Request[]): void;
    /** It closes instead of sending more than so many; may be set while it runs. */
    responseMax?: number;
  }

  interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration?: number;
    /** Requests in all, instead of a duration. */
    amount?: number;
    /** How often it looks whether it is done, in milliseconds. */
    sampleInt?: number;
    /** Seconds that an answer may take. */
    timeout?: number;
    requests?: Request[];
    /** Called for each connection before it opens. */
    setupClient?: (client: Client) => void;
  }

  interface Result {
    errors: number;
    timeouts: number;
    non2xx: number;
  }

  interface Run extends PromiseLike<Result> {
    on(
      event: 'response',
      listener: (client: Client, status: number, bytes: number, ms: number) => void,
    ): void;
  }

  function autocannon(options: Options): Run;
  export = autocannon;
}
