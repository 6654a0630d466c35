import { readFileSync } from 'node:fs';

/* What the tests of the generators ask for, and write beside it. */

/** A prop of every type, and nearly every modifier. */
export const PROPS = [
  'title:string:120:required:search:unique:nocase:public',
  'code:string:8:min(2):qualifier',
  'price:int:min(0):max(1000000):range:qualifier:public',
  'status:enum(draft|live=On air):required:default(draft):qualifier',
  'active:boolean(Off|On):default(false):qualifier',
  'due:date:range',
  'touchedAt:date:autoUpdate',
  'data:json:view(owner|developer)',
  'contact:string:120:format(email):edit(admin)',
  'parent:parent(SampleBox):list(parts):public',
  'keeper:parent(User):any:list(keptBoxes):createOnly',
  'cover:parent(ObjectFile):files(png|jpg)',
  'twin:parent(SampleBox):unique:any',
  'shade:enum(red|blue):unique',
].join();

/** Names that kinds of the tests once had. */
export const FAMILIAR = ['invoice', 'item', 'line-item', 'thing', 'remark', 'book', 'shelf', 'report'];
/** The props of Topic, whose code BY_HAND restricts. */
export const CODED = 'code:string:20:required:unique:public,note:string:30:search:public';

/** The commands of docs/kinds.md that make the kinds of a team, as their words. */
export const TEAMS = readFileSync('docs/kinds.md', 'utf8')
  .split('\n')
  .flatMap((line) => /^npm run kind -- ((?:team|team-member|project|task) .*)$/.exec(line)?.[1] ?? [])
  .map((line) =>
    [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, word]) => quoted?.replaceAll('\\$', '$') ?? word ?? '',
    ),
  );

/** A kind with lists on others, of which neither knows its workers. */
export const WORK_ENTRY = [
  'kind',
  'work-entry',
  '--groups',
  'worker=$workerId,agent=^task',
  '--props',
  'task:parent(Task):view(owner|agent|worker):list(entries),team:parent(Team):view(worker):list(entries),worker:parent(User):any',
];

/** What the author of a kind writes whose hook refuses values: the hook, and beside the kind what it takes. */
export const BY_HAND = {
  'src/kinds/topic/topic.service.ts': `import { Injectable } from '@nestjs/common';
import { invalid } from '../../common/errors.js';
import type { Draft } from '../../record/write/change-set.js';
import { RecordEngine } from '../../record/record-engine.js';
import { RecordService } from '../../record/record.service.js';
import { Topic } from './topic.entity.js';

@Injectable()
export class TopicService extends RecordService {
  constructor(engine: RecordEngine) {
    super(engine, Topic);
  }

  override beforeSave({ values, before }: Draft): Promise<void> {
    if (!/^T-\\d+$/.test(String(values.get('code') ?? before?.code))) throw invalid('code', 'code is T- and a number.');
    return Promise.resolve();
  }
}
`,
  'src/kinds/topic/topic.values.ts': `import type { KindValues } from '../../record/schema/kind-values.js';

export const VALUES: KindValues = { kind: 'Topic', props: { code: (n) => \`T-\${n}\` } };
`,
};

/** What must and must not compile with the client of a second version. */
export const TYPES_OF_V2 = `import { Kindred, type RecordOf } from '../client/src/kindred.js';
import { KindredV2, type V2 } from '../client/src/kindred.v2.js';

export async function compiles(first: Kindred, second: KindredV2): Promise<unknown[]> {
  const box: RecordOf<'SampleBox', V2> = await second.get('/sampleboxes/{id}', { params: { path: { id: 'v' } } });
  const one = await first.get('/sampleboxes/{id}', { params: { path: { id: 'v' } } });
  await second.login({ login: 'a', password: 'b' });
  for await (const lid of second.pages('/lids')) lid.props.note?.trim();
  // @ts-expect-error: the second version calls it label
  void box.props.title;
  // @ts-expect-error: and the first one title
  void one.props.label;
  // @ts-expect-error: a kind of the second version
  await first.get('/lids');
  // @ts-expect-error: half of a login
  await second.login({ login: 'a' });
  return [one.props.title, box.props.label, box.props.weight];
}
`;
