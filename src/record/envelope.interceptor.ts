import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiVersions } from './api-versions.js';
import { toEnvelope, type Unshown } from './response/serialize.js';
import type { ApiRequest } from '../http/api-request.js';
import { checkIfMatch, listTag, recordTag } from './response/etag.js';
import { RecordResponse } from './response/record-response.js';
import { refuseGone } from '../http/client-gone.js';
import { MapInterceptor } from '../http/map-interceptor.js';
import { isRead, tagWhenSent } from '../http/tag-when-sent.js';

/** Values; beyond it the log is no place for them any more. */
const MAX_LOGGED = 1000;

/**
 * Builds the envelope of every record answer: what a controller returned as rows leaves as props, links, meta,
 * related, options, extras and warnings, under an entity tag. Other answers pass as they are.
 */
@Injectable()
export class EnvelopeInterceptor extends MapInterceptor {
  /** The values that can't be shown and were logged. */
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
    // Also where nobody is left to hear of it: the record is there.
    if (row && request.method === 'POST')
      request.madeId = engine.service(result.page.kind).publicIds([row])[0];
    refuseGone(request);
    if (isRead(request)) checkIfMatch(request.headers, row);
    // What one operation adds is no part of the record as it is read the next time.
    const bare = row && result.hasAdditions ? JSON.stringify(toEnvelope(engine, result.bare())) : null;
    tagWhenSent(request, http.getResponse<FastifyReply>(), (text) =>
      row ? recordTag(row, bare ?? text) : listTag(text),
    );
    return toEnvelope(engine, result, (unshown) => {
      for (const one of unshown) this.log(one, request.log);
    });
  }

  /** Each value once: it is read again and again until somebody fixes it. */
  private log({ kind, name, id }: Unshown, log: ApiRequest['log']): void {
    const value = `${kind.kind}.${name} of ${id}`;
    if (this.logged.size >= MAX_LOGGED || this.logged.has(value)) return;
    this.logged.add(value);
    log.warn({ kind: kind.kind, prop: name, id }, 'A stored value can’t be shown; it was answered as null');
  }
}
