import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP relay to a server, which can be cut: then connections are refused, as with a server that is away. */
export class Gate {
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  private readonly server = createServer((client) => {
    if (this.isCut) return client.destroy();
    const upstream = connect(this.port, this.host);
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
    return undefined;
  });

  private constructor(
    private host: string,
    private port: number,
  ) {}

  /** @param target a URL with a host and a port, such as `http://host:port` */
  static async to(target: string): Promise<Gate> {
    const { hostname, port } = new URL(target);
    const gate = new Gate(hostname, Number(port));
    await new Promise<void>((resolve) => gate.server.listen(0, '127.0.0.1', resolve));
    return gate;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The target's URL, such as that of a database, by way of the gate. */
  urlFor(target: string): string {
    const url = new URL(target);
    url.host = new URL(this.url).host;
    return url.href;
  }

  /** From now on new connections go there. */
  leadTo(target: string): void {
    const { hostname, port } = new URL(target);
    this.host = hostname;
    this.port = Number(port);
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  fix(): void {
    this.isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
