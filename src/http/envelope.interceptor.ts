import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import { ApiVersions } from '../record/api-versions.js';
import { describeAnswer } from '../record/describe.js';
import { etagOf } from '../record/etag.js';
import { RecordAnswer } from '../record/record-answer.js';

/**
 * Builds the envelope of every record answer: what a controller returned as rows leaves as props, links, meta,
 * related, options, extras and warnings. Other answers pass as they are.
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(private readonly versions: ApiVersions) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next
      .handle()
      .pipe(
        map((answer: unknown) => (answer instanceof RecordAnswer ? this.envelope(answer, context) : answer)),
      );
  }

  private envelope(answer: RecordAnswer, context: ExecutionContext): object {
    const [row] = answer.page.rows;
    if (!answer.paging && row) {
      context.switchToHttp().getResponse<FastifyReply>().header('etag', etagOf(row));
    }
    return describeAnswer(this.versions.engineOf(answer.page.kind), answer);
  }
}
