import { Injectable } from '@nestjs/common';
import { notFound } from '../common/errors.js';
import { writeRequesterOf } from '../http/http-requester.js';
import type { QueryParams } from '../http/query.js';
import { seesRow } from '../record/access/access.js';
import type { Link } from '../record/response/envelope.js';
import type { RecordResponse } from '../record/response/record-response.js';
import { RecordEngine } from '../record/record-engine.js';
import { type ResponseSchemas, RecordService, type WriteRequest } from '../record/record.service.js';
import type { Row } from '../record/row.js';
import type { Viewer } from '../common/viewer.js';
import { SessionStore, TOKEN_SCHEMA } from './session-store.js';
import { Session } from './session.entity.js';

const TOKEN = Symbol('token');

/** Responses with session records. Their public id is the secret that the caller sent, not an encrypted integer. */
@Injectable()
export class SessionService extends RecordService {
  override readonly schemas: ResponseSchemas = { props: { id: TOKEN_SCHEMA } };

  constructor(
    engine: RecordEngine,
    private readonly store: SessionStore,
  ) {
    super(engine, Session);
  }

  /** A session by its id, if it is the viewer's own. */
  async readByToken(viewer: Viewer, token: string, query: QueryParams): Promise<RecordResponse> {
    const { includes, warnings } = this.includes(query);
    return this.respond(viewer, await this.own(viewer, token), includes, warnings);
  }

  /** The user of a session, if it is the viewer's own. */
  async relationByToken(
    viewer: Viewer,
    token: string,
    segment: string,
    query: QueryParams,
  ): Promise<RecordResponse> {
    return this.relationOf(viewer, await this.own(viewer, token), segment, query);
  }

  /** The response with a new session, for its user. */
  shown(
    viewer: Viewer,
    row: Row,
    token: string,
    query: QueryParams,
    warnings: RecordResponse['warnings'],
  ): Promise<RecordResponse> {
    const own = this.includes(query);
    return this.respond(viewer, withToken(row, token), own.includes, [...warnings, ...own.warnings]);
  }

  /** Ends a session of the viewer and returns it as it was. */
  async end(request: Pick<WriteRequest, 'viewer' | 'ip' | 'query'>, token: string): Promise<RecordResponse> {
    const { viewer, query } = request;
    const { includes, warnings } = this.includes(query);
    const row = await this.own(viewer, token);
    if (!(await this.store.end(String(row.id), writeRequesterOf(request)))) throw notFound();
    return this.respond(viewer, row, includes, warnings, includes.meta ? { deleted: true } : {});
  }

  /** Ends the session that a login has replaced, whoever its user was. */
  async replace(token: string, request: Pick<WriteRequest, 'viewer' | 'ip'>): Promise<void> {
    await this.store.endByToken(token, writeRequesterOf(request));
  }

  override publicIds(rows: readonly Row[]): string[] {
    return rows.map((row) => String((row as { [TOKEN]?: string })[TOKEN] ?? ''));
  }

  override serializeLinks(_row: Row, id: string): Record<string, Link> {
    const base = `${this.engine.basePath}/${this.kind.path}`;
    return {
      base: { href: base, methods: ['POST', 'DELETE'], usage: 'rest' },
      self: { href: `${base}/${id}`, methods: ['GET', 'DELETE'], usage: 'rest' },
    };
  }

  private async own(viewer: Viewer, token: string): Promise<Row> {
    const row = await this.store.rowOf(token);
    if (!row || !seesRow(this.kind, viewer, row)) throw notFound();
    return withToken(row, token);
  }
}

function withToken(row: Row, token: string): Row {
  return Object.assign({ ...row }, { [TOKEN]: token });
}
