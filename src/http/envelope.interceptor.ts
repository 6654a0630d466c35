import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiVersions } from '../record/api-versions.js';
import { describeAnswer } from '../record/describe.js';
import { etagOf } from '../record/etag.js';
import { RecordAnswer } from '../record/record-answer.js';
import { MapInterceptor } from './map-interceptor.js';

/**
 * Builds the envelope of every record answer: what a controller returned as rows leaves as props, links, meta,
 * related, options, extras and warnings. Other answers pass as they are.
 */
@Injectable()
export class EnvelopeInterceptor extends MapInterceptor {
  constructor(private readonly versions: ApiVersions) {
    super();
  }

  protected override map(answer: unknown, context: ExecutionContext): unknown {
    if (!(answer instanceof RecordAnswer)) return answer;
    const [row] = answer.page.rows;
    if (!answer.paging && row) {
      context.switchToHttp().getResponse<FastifyReply>().header('etag', etagOf(row));
    }
    return describeAnswer(this.versions.engineOf(answer.page.kind), answer);
  }
}
