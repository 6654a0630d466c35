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

  interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    requests: Request[];
  }

  interface Result {
    /** Seconds. */
    duration: number;
    requests: { total: number };
    errors: number;
    timeouts: number;
    non2xx: number;
  }

  interface Run extends PromiseLike<Result> {
    on(
      event: 'response',
      listener: (client: unknown, status: number, bytes: number, ms: number) => void,
    ): void;
  }

  function autocannon(options: Options): Run;
  export = autocannon;
}
