import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { from, mergeMap, of, type Observable } from 'rxjs';
import { describeAnswer } from '../record/describe.js';
import { etagOf } from '../record/etag.js';
import { RecordAnswer } from '../record/record-answer.js';
import { RecordEngine } from '../record/record-engine.js';

/**
 * Builds the envelope of every record answer: what a controller returned as rows leaves as props, links, meta,
 * related, options, extras and warnings. Other answers pass as they are.
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(private readonly engine: RecordEngine) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      mergeMap((answer: unknown) => {
        if (!(answer instanceof RecordAnswer)) return of(answer);
        const [row] = answer.rows;
        if (!answer.paging && row)
          context.switchToHttp().getResponse<FastifyReply>().header('etag', etagOf(row));
        return from(describeAnswer(this.engine, answer));
      }),
    );
  }
}
