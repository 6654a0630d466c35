import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config/config.js';
import { Throttle } from '../common/throttle.js';
import { networkOf, trustOf } from './client-address.js';
import type { HttpLimits } from './limits.js';
import { unreadOf } from './node-internals.js';

/** How many connections may be open. */
export type ConnectionLimits = Pick<Config, 'maxConnections' | 'maxConnectionsPerAddress' | 'trustProxy'>;

/** Milliseconds between two log lines about refused connections. */
const SAY_AGAIN_MS = 10_000;

/** The outgoing bytes of a connection. */
interface Flow {
  readonly network: string;
  /** Bytes that had been sent at the last check. */
  left: number;
  /** Bytes that were waiting then. */
  waiting: number;
}

/**
 * Limits the connections of a server. Refuses them beyond the limits, in total and per network (not for trusted proxies,
 * which many clients share). Closes those whose clients don't read their responses: at least `responseBytes`, or everything
 * that waits, must leave within `responseWindow`. If more than `unreadBytes` wait in total, the network with the most
 * unread bytes loses its largest connection.
 */
export class Connections {
  private readonly flows = new Map<Socket, Flow>();
  private readonly perNetwork = new Map<string, number>();
  private readonly isProxy: (address: string) => boolean;
  private refused = 0;
  private readonly warnings = new Throttle(SAY_AGAIN_MS);

  constructor(
    server: Server,
    private readonly config: ConnectionLimits,
    private readonly limits: HttpLimits,
    private readonly log: FastifyBaseLogger,
  ) {
    const trusted = trustOf(config.trustProxy);
    this.isProxy = (address) => (typeof trusted === 'function' ? trusted(address, 0) : trusted);
    server.on('connection', (socket: Socket) => this.enter(socket));
    const stalls = setInterval(() => this.cutStalled(), limits.responseWindow).unref();
    const sum = setInterval(() => this.makeRoom(), Math.min(limits.responseWindow, 250)).unref();
    server.on('close', () => {
      clearInterval(stalls);
      clearInterval(sum);
    });
  }

  private enter(socket: Socket): void {
    const network = networkOf(socket.remoteAddress);
    const { maxConnections, maxConnectionsPerAddress } = this.config;
    const ofNetwork = this.perNetwork.get(network) ?? 0;
    const isFull = maxConnections > 0 && this.flows.size >= maxConnections;
    const hasShare =
      maxConnectionsPerAddress > 0 &&
      ofNetwork >= maxConnectionsPerAddress &&
      !this.isProxy(socket.remoteAddress ?? '');
    if (isFull || hasShare) {
      socket.destroy();
      this.say();
      return;
    }
    this.flows.set(socket, { network, left: 0, waiting: 0 });
    this.perNetwork.set(network, ofNetwork + 1);
    socket.once('close', () => this.leave(socket, network));
  }

  private leave(socket: Socket, network: string): void {
    this.flows.delete(socket);
    const others = (this.perNetwork.get(network) ?? 1) - 1;
    if (others > 0) this.perNetwork.set(network, others);
    else this.perNetwork.delete(network);
  }

  private cutStalled(): void {
    const { responseBytes } = this.limits;
    for (const [socket, flow] of this.flows) {
      const waiting = unreadOf(socket);
      const left = socket.bytesWritten - waiting;
      const isStalled = flow.waiting > 0 && left - flow.left < Math.min(responseBytes, flow.waiting);
      if (isStalled) this.cut(socket, flow, waiting);
      flow.left = left;
      flow.waiting = waiting;
    }
  }

  /** Closes connections while too many bytes wait to be read. */
  makeRoom(): void {
    const unread = [...this.flows]
      .map(([socket, flow]) => ({ socket, flow, bytes: unreadOf(socket) }))
      .filter(({ bytes }) => bytes > 0);
    let sum = unread.reduce((all, { bytes }) => all + bytes, 0);
    if (sum <= this.limits.unreadBytes) return;
    const ofNetwork = new Map<string, number>();
    for (const { flow, bytes } of unread)
      ofNetwork.set(flow.network, (ofNetwork.get(flow.network) ?? 0) + bytes);
    const share = ({ flow }: { flow: Flow }) => ofNetwork.get(flow.network) ?? 0;
    unread.sort((a, b) => share(b) - share(a) || b.bytes - a.bytes);
    for (const { socket, flow, bytes } of unread) {
      if (sum <= this.limits.unreadBytes) return;
      this.cut(socket, flow, bytes);
      sum -= bytes;
    }
  }

  private cut(socket: Socket, { network }: Flow, unread: number): void {
    this.log.info({ address: network, unread }, 'connection cut: its answers are not read');
    socket.destroy();
  }

  private say(): void {
    this.refused++;
    if (!this.warnings.take()) return;
    this.log.warn(
      { refused: this.refused, open: this.flows.size },
      'too many connections: some were refused',
    );
    this.refused = 0;
  }
}
