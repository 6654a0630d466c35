import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { Config } from '../config/config.js';

const EVERYWHERE = new Set(['0.0.0.0', '::']);

/** The base of public URLs: PUBLIC_URL, or the address that the service listens on. Never the Host of a request. */
@Injectable()
export class PublicUrl {
  constructor(
    private readonly config: Config,
    private readonly http: HttpAdapterHost,
  ) {}

  /** `path` as a URL that clients can use. */
  of(path: string): string {
    return (this.config.publicUrl || this.listening()) + path;
  }

  private listening(): string {
    const server = this.http.httpAdapter.getHttpServer() as Server;
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : this.config.port;
    const host = EVERYWHERE.has(this.config.host) ? 'localhost' : this.config.host;
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  }
}
