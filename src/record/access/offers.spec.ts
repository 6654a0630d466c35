import { describe, expect, it } from '@jest/globals';
import { standingOn } from './access.js';
import { ANONYMOUS, viewerOf } from '../../common/viewer.js';
import { Kind, kindOf } from '../schema/kind.js';
import type { KindOptions } from '../schema/kind-def.js';
import { KindGraph } from '../schema/kind-graph.js';
import { Prop } from '../schema/prop.js';
import { RecordEntity } from '../record.entity.js';
import { couldChoose, listMethods, recordMethods } from './offers.js';

const COLOUR = { enums: ['red'], enumLabels: ['Red'] };

function declare(options: KindOptions, props: Readonly<Record<string, PropertyDecorator>>) {
  class Sample extends RecordEntity {}
  for (const [name, decorate] of Object.entries(props)) decorate(Sample.prototype, name);
  Kind(options)(Sample);
  return kindOf(Sample);
}

const role = Prop.boolean({ enumLabels: ['No', 'Yes'], view: ['owner'], edit: [] });
const lists = { view: ['public'], create: ['developer'] };
const graph = KindGraph.link(
  [
    declare(
      { kind: 'User', path: 'users', owner: ['$id'], view: [], create: [] },
      { admin: role, developer: role },
    ),
    declare(
      { kind: 'Paint', path: 'paints', owner: ['admin'], ...lists },
      {
        open: Prop.enum({ ...COLOUR, view: ['public'], edit: [] }),
        seen: Prop.enum({ ...COLOUR, view: ['owner'], edit: [] }),
        set: Prop.enum({ ...COLOUR, view: [], edit: ['owner'] }),
        developers: Prop.enum({ ...COLOUR, view: [], edit: ['developer'] }),
        nobodys: Prop.enum({ ...COLOUR, view: [], edit: [] }),
      },
    ),
    declare({ kind: 'Stone', path: 'stones', owner: ['admin'], ...lists, readOnly: true }, {}),
    declare({ kind: 'Session', path: 'sessions', owner: ['admin'], ...lists, generic: false }, {}),
    declare({ kind: 'Safe', path: 'safes', owner: ['admin'], view: ['admin'], create: [] }, {}),
  ],
  'User',
);
const kind = (name: string) => graph.get(name);
const plain = viewerOf('1', [], '10');
const developer = viewerOf('2', ['developer'], '11');
const admin = viewerOf('3', ['admin'], '12');

describe('choices', () => {
  it('of props for owners are for those who could own a record, or create one', () => {
    const names = (viewer: typeof plain) =>
      kind('Paint')
        .props.filter((prop) => prop.enums && couldChoose(prop, kind('Paint'), viewer))
        .map(({ name }) => name);
    expect([ANONYMOUS, plain, developer, admin].map(names)).toEqual([
      ['open'],
      ['open'],
      ['open', 'seen', 'set', 'developers'],
      ['open', 'seen', 'set'],
    ]);
  });
});

describe('methods', () => {
  it('of a record are those of its owner, unless the kind takes no changes', () => {
    const methods = (name: string) =>
      [admin, plain].map((viewer) => {
        const of = kind(name);
        return recordMethods(of, viewer, standingOn(of, viewer, { id: '1' }));
      });
    expect(methods('Paint')).toEqual([['GET', 'PUT', 'DELETE'], ['GET']]);
    expect(methods('Stone')).toEqual([['GET'], ['GET']]);
    expect(methods('Session')).toEqual([['GET', 'DELETE'], ['GET']]);
  });

  it('of a list are what the viewer may do there', () => {
    const methods = (name: string) =>
      [ANONYMOUS, plain, developer, admin].map((viewer) => listMethods(kind(name), viewer).join());
    expect(methods('Paint')).toEqual(['GET', 'GET', 'GET,POST', 'GET']);
    expect(methods('Session')).toEqual(['', '', 'POST', '']);
    expect(methods('Safe')).toEqual(['', '', '', 'GET']);
  });
});
