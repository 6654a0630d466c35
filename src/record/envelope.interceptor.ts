import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiVersions } from './api-versions.js';
import { toEnvelope, type Unshowable } from './response/serialize.js';
import type { ApiRequest } from '../http/api-request.js';
import { checkIfMatch, listTag, recordTag } from './response/etag.js';
import { RecordResponse } from './response/record-response.js';
import { refuseGone } from '../http/client-gone.js';
import { MapInterceptor } from '../http/map-interceptor.js';
import { isRead, tagWhenSent } from '../http/tag-when-sent.js';

/** The maximum number of logged values. */
const MAX_LOGGED = 1000;

/**
 * Builds the envelope of record responses: rows become props, links, meta, related, options, extras and warnings, with an
 * entity tag. Other results are passed on unchanged.
 */
@Injectable()
export class EnvelopeInterceptor extends MapInterceptor {
  /** Values that can't be shown and were logged already. */
  private readonly logged = new Set<string>();

  constructor(private readonly versions: ApiVersions) {
    super();
  }

  protected override map(result: unknown, context: ExecutionContext): unknown {
    if (!(result instanceof RecordResponse)) return result;
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    const engine = this.versions.engineOf(result.page.kind);
    const row = result.paging ? null : (result.page.rows[0] ?? null);
    // For the log, also if the client has disconnected: the record exists.
    if (row && request.method === 'POST')
      request.madeId = engine.service(result.page.kind).publicIds([row])[0];
    refuseGone(request);
    if (isRead(request)) checkIfMatch(request.headers, row);
    // Additions of this operation are not part of the record's tag: later reads lack them.
    const bare = row && result.hasAdditions ? JSON.stringify(toEnvelope(engine, result.bare())) : null;
    tagWhenSent(request, http.getResponse<FastifyReply>(), (text) =>
      row ? recordTag(row, bare ?? text) : listTag(text),
    );
    return toEnvelope(engine, result, (unshown) => {
      for (const one of unshown) this.log(one, request.log);
    });
  }

  /** Logs each value once. It would be read again and again until it is fixed. */
  private log({ kind, name, id }: Unshowable, log: ApiRequest['log']): void {
    const value = `${kind.kind}.${name} of ${id}`;
    if (this.logged.size >= MAX_LOGGED || this.logged.has(value)) return;
    this.logged.add(value);
    log.warn({ kind: kind.kind, prop: name, id }, 'A stored value can’t be shown; it was answered as null');
  }
}
