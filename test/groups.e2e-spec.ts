import { beforeEach, describe, expect, it } from '@jest/globals';
import { viewerOf } from '../src/common/viewer.js';
import { ApiVersions } from '../src/record/api-versions.js';
import type { RecordService, WriteRequest } from '../src/record/record.service.js';
import {
  errorOf,
  expectAbsent,
  idOf,
  idsOf,
  pagingOf,
  propsOf,
  recordOf,
  warningsOf,
} from './support/answers.js';
import type { Answer } from './support/client.js';
import { addPerson, type Person } from './support/fixture.js';
import { people, service, useKindsService } from './support/kinds-service.js';

/*
 * Access by membership: what members, agents, managers and assignees see and do, and what nobody learns of a team that it
 * does not belong to.
 */

/** The founder and owner of both teams' records, and people with a role in team A alone. */
let founder: Person;
let viewer: Person;
let agent: Person;
let manager: Person;
/** A member of team B alone. */
let stranger: Person;
let assignee: Person;
let a: Team;
let b: Team;

interface Team {
  readonly id: string;
  readonly project: string;
  readonly issue: string;
}

useKindsService();

const post = async (who: Person, path: string, body: object): Promise<Answer> => {
  const answer = await who.call.post(path, body);
  expect([path, answer.status, answer.text]).toEqual([path, 201, answer.text]);
  return answer;
};

/** A team with a project and an issue. */
async function addTeam(name: string, budget: number): Promise<Team> {
  const id = idOf(await post(founder, '/dummyteams', { name, plan: `plan of ${name}` }));
  const project = idOf(
    await post(founder, '/dummyprojects', { name: `project of ${name}`, budget, teamId: id }),
  );
  const issue = idOf(
    await post(founder, '/dummyissues', {
      title: `issue of ${name}`,
      remark: `remark of ${name}`,
      price: budget,
      projectId: project,
    }),
  );
  return { id, project, issue };
}

/** Invites somebody, who accepts; the membership's id. */
async function join(person: Person, team: string, role: string, by = founder): Promise<string> {
  const id = idOf(await post(by, '/dummymemberships', { memberId: person.id, teamId: team, role }));
  const accepted = await person.call.put(`/dummymemberships/${id}`, { accepted: true });
  expect([accepted.status, warningsOf(accepted)]).toEqual([200, []]);
  return id;
}

beforeEach(async () => {
  founder = people.owner;
  viewer = people.other;
  agent = await addPerson(service, 'agent_u', 'agent@mail.test', 'Agnes Agent');
  manager = await addPerson(service, 'manager_u', 'manager@mail.test', 'Manny Manager');
  stranger = await addPerson(service, 'stranger_u', 'stranger@mail.test', 'Stan Stranger');
  assignee = await addPerson(service, 'assignee_u', 'assignee@mail.test', 'Ann Assignee');
  a = await addTeam('Alpha', 111);
  b = await addTeam('Beta', 222);
  await join(viewer, a.id, 'viewer');
  await join(agent, a.id, 'agent');
  await join(manager, a.id, 'manager');
  await join(stranger, b.id, 'manager');
});

const LISTS = ['/dummyteams', '/dummyprojects', '/dummyissues'];
const own = (team: Team) => [team.id, team.project, team.issue];

describe('members', () => {
  it('see the records of their team, at any depth, and nothing of another one', async () => {
    for (const [i, path] of LISTS.entries()) {
      for (const member of [viewer, agent, manager]) {
        const list = await member.call.get(`${path}?includeMeta=true`);
        expect([path, idsOf(list), pagingOf(list).totalItems]).toEqual([path, [own(a)[i]], 1]);
        expectAbsent(list, ['Beta', '222', String(own(b)[i])]);
        expect((await member.call.get(`${path}/${own(a)[i]}`)).status).toBe(200);
        const foreign = await member.call.get(`${path}/${own(b)[i]}`);
        const none = await member.call.get(`${path}/${own(b)[i]}x`);
        expect([foreign.status, errorOf(foreign)]).toEqual([404, errorOf(none)]);
      }
      expect(idsOf(await stranger.call.get(path))).toEqual([own(b)[i]]);
      expect(idsOf(await assignee.call.get(path))).toEqual([]);
      expect(idsOf(await founder.call.get(path))).toEqual([own(a)[i], own(b)[i]]);
      expect((await people.anon.get(path)).status).toBe(401);
    }
  });

  it('see the props that are for their role', async () => {
    const names = async (person: Person, path: string) =>
      Object.keys(propsOf(await person.call.get(path))).filter((name) =>
        ['plan', 'budget', 'remark', 'price'].includes(name),
      );
    expect(await names(viewer, `/dummyteams/${a.id}`)).toEqual([]);
    expect(await names(manager, `/dummyteams/${a.id}`)).toEqual([]);
    expect(await names(founder, `/dummyteams/${a.id}`)).toEqual(['plan']);
    expect(await names(agent, `/dummyprojects/${a.project}`)).toEqual([]);
    expect(await names(manager, `/dummyprojects/${a.project}`)).toEqual(['budget']);
    expect(await names(viewer, `/dummyissues/${a.issue}`)).toEqual([]);
    expect(await names(agent, `/dummyissues/${a.issue}`)).toEqual(['remark']);
    expect(await names(founder, `/dummyissues/${a.issue}`)).toEqual(['remark', 'price']);
  });

  it('find, filter, sort and count by nothing that they may not see', async () => {
    const found = async (person: Person, query: string) =>
      idsOf(await person.call.get(`/dummyissues?${query}`));
    expect(await found(viewer, 'search=remark')).toEqual([]);
    expect(await found(agent, 'search=remark')).toEqual([a.issue]);
    expect(await found(founder, 'search=remark')).toEqual([a.issue, b.issue]);
    expect(await found(viewer, 'remark=remark of Alpha')).toEqual([]);
    expect(await found(agent, 'remark=remark of Alpha')).toEqual([a.issue]);
    expect(await found(agent, '_start_price=0')).toEqual([]);
    expect(await found(agent, 'sortBy=price')).toEqual([a.issue]);
    expect(await found(agent, `projectId=${b.project}`)).toEqual([]);
    const projects = async (person: Person, query: string) =>
      idsOf(await person.call.get(`/dummyprojects?${query}`));
    expect(await projects(agent, 'budget=111')).toEqual([]);
    expect(await projects(manager, '_end_budget=222')).toEqual([a.project]);
  });

  it('differ from row to row in one list, in props and methods', async () => {
    await join(viewer, b.id, 'agent');
    const list = await viewer.call.get('/dummyissues?includeLinks=true&includeMeta=true');
    const items = (
      list.body as { items: { props: object; links: { self: { methods: string[] } }; meta: object }[] }
    ).items;
    expect(items.map(({ props, links }) => ['remark' in props, links.self.methods])).toEqual([
      [false, ['GET']],
      [true, ['GET', 'PUT', 'DELETE']],
    ]);
    expect(items.map(({ meta }) => (meta as { isOwner: boolean }).isOwner)).toEqual([false, false]);
    expectAbsent(list, ['remark of Alpha']);
  });

  it('follow relations within their team, and include what they may see', async () => {
    expect(idsOf(await viewer.call.get(`/dummyteams/${a.id}/projects`))).toEqual([a.project]);
    expect((await viewer.call.get(`/dummyteams/${b.id}/projects`)).status).toBe(404);
    const issue = await viewer.call.get(`/dummyissues/${a.issue}?includeRelated=project`);
    expect(recordOf(issue).related?.project?.props.name).toBe('project of Alpha');
    expect(recordOf(issue).related?.project?.props).not.toHaveProperty('budget');
    expect((await viewer.call.get(`/dummyissues/${a.issue}/project`)).status).toBe(200);
  });

  it('write what is for their role', async () => {
    const put = async (person: Person, body: object) => {
      const answer = await person.call.put(`/dummyissues/${a.issue}`, body);
      return [answer.status, warningsOf(answer).length];
    };
    expect(await put(viewer, { status: 'closed' })).toEqual([403, 0]);
    expect(await put(agent, { status: 'closed', remark: 'agent was here' })).toEqual([200, 0]);
    expect(await put(agent, { price: 1 })).toEqual([200, 1]);
    expect(await put(stranger, { status: 'open' })).toEqual([404, 0]);
    const now = propsOf(await founder.call.get(`/dummyissues/${a.issue}`));
    expect(now).toMatchObject({ status: 'closed', remark: 'agent was here', price: 111 });
    expect((await viewer.call.delete(`/dummyissues/${a.issue}`)).status).toBe(403);
    expect((await agent.call.delete(`/dummyissues/${a.issue}`)).status).toBe(200);
  });

  it('create below a parent that they do not own, with the props of their role alone', async () => {
    const issue = { title: 'new', projectId: a.project };
    expect((await agent.call.post('/dummyissues', issue)).status).toBe(201);
    expect((await viewer.call.post('/dummyissues', issue)).status).toBe(403);
    const foreign = await agent.call.post('/dummyissues', { title: 'new', projectId: b.project });
    const none = await agent.call.post('/dummyissues', {
      title: 'new',
      projectId: `${b.project.slice(0, -1)}x`,
    });
    expect([foreign.status, errorOf(foreign).data]).toEqual([403, 'projectId']);
    expect([403, 422]).toContain(none.status);
    const priced = await agent.call.post('/dummyissues', { ...issue, price: 5 });
    expect([priced.status, errorOf(priced).data]).toEqual([403, 'price']);
    expect(idsOf(await founder.call.get('/dummyissues'))).toHaveLength(3);
    const comment = await viewer.call.post('/dummycomments', { text: 'hello', issueId: a.issue });
    expect([comment.status, recordOf(comment).props.userId]).toEqual([201, viewer.id]);
    expect((await stranger.call.post('/dummycomments', { text: 'x', issueId: a.issue })).status).toBe(403);
  });
});

describe('an assignee', () => {
  it('sees the record that names it, and changes what is for assignees, until another one is named', async () => {
    await agent.call.put(`/dummyissues/${a.issue}`, { assigneeId: assignee.id });
    expect(idsOf(await assignee.call.get('/dummyissues'))).toEqual([a.issue]);
    expect(idsOf(await assignee.call.get('/dummyprojects'))).toEqual([]);
    expect(propsOf(await assignee.call.get(`/dummyissues/${a.issue}`))).not.toHaveProperty('remark');
    const put = await assignee.call.put(`/dummyissues/${a.issue}`, { status: 'closed', title: 'mine' });
    expect([put.status, warningsOf(put)]).toEqual([200, ['403 title']]);
    expect((await assignee.call.get(`/dummyissues/${a.issue}/project`)).status).toBe(404);
    await agent.call.put(`/dummyissues/${a.issue}`, { assigneeId: agent.id });
    expect((await assignee.call.get(`/dummyissues/${a.issue}`)).status).toBe(404);
  });
});

describe('a membership', () => {
  it('counts from the next request on: when it is accepted, raised, ended or deleted', async () => {
    const id = idOf(
      await post(manager, '/dummymemberships', { memberId: assignee.id, teamId: a.id, role: 'viewer' }),
    );
    const seen = async () => idsOf(await assignee.call.get('/dummyissues')).length;
    const remark = async () => 'remark' in propsOf(await assignee.call.get(`/dummyissues/${a.issue}`));
    expect(await seen()).toBe(0);
    await assignee.call.put(`/dummymemberships/${id}`, { accepted: true });
    expect([await seen(), await remark()]).toEqual([1, false]);
    await manager.call.put(`/dummymemberships/${id}`, { role: 'agent' });
    expect(await remark()).toBe(true);
    await manager.call.put(`/dummymemberships/${id}`, { until: new Date(Date.now() - 1000).toISOString() });
    expect(await seen()).toBe(0);
    await manager.call.put(`/dummymemberships/${id}`, { until: null });
    expect(await seen()).toBe(1);
    expect((await manager.call.delete(`/dummymemberships/${id}`)).status).toBe(200);
    expect(await seen()).toBe(0);
  });

  it('is never made or raised by who gains by it, but by an owner of the team', async () => {
    const mine = idsOf(await viewer.call.get(`/dummymemberships?memberId=${viewer.id}`))[0];
    const put = await viewer.call.put(`/dummymemberships/${mine}`, { role: 'manager' });
    expect([put.status, warningsOf(put)]).toEqual([200, ['403 role']]);
    const own = idsOf(await manager.call.get(`/dummymemberships?memberId=${manager.id}`))[0];
    const longer = await manager.call.put(`/dummymemberships/${own}`, { until: '2099-01-01T00:00:00.000Z' });
    expect(warningsOf(longer)).toEqual(['403 until']);
    expect((await manager.call.delete(`/dummymemberships/${own}`)).status).toBe(200);
    const back = await manager.call.post('/dummymemberships', {
      memberId: manager.id,
      teamId: a.id,
      role: 'viewer',
    });
    expect(back.status).toBe(403);
    const outside = await stranger.call.post('/dummymemberships', { memberId: stranger.id, teamId: a.id });
    expect(outside.status).toBe(403);
    await post(founder, '/dummymemberships', { memberId: founder.id, teamId: a.id, role: 'manager' });
  });

  it('is accepted by nobody else', async () => {
    const made = await post(manager, '/dummymemberships', { memberId: assignee.id, teamId: a.id });
    const put = await manager.call.put(`/dummymemberships/${idOf(made)}`, { accepted: true });
    expect(warningsOf(put)).toEqual(['403 accepted']);
    const at = await manager.call.post('/dummymemberships', {
      memberId: stranger.id,
      teamId: a.id,
      accepted: true,
    });
    expect([at.status, errorOf(at).data]).toEqual([403, 'accepted']);
    expect(idsOf(await assignee.call.get('/dummyteams'))).toEqual([]);
  });
});

describe('an operation of a service that changes a record', () => {
  it('is refused as a whole when the caller may not set one of its props', async () => {
    await agent.call.put(`/dummyissues/${a.issue}`, { assigneeId: assignee.id });
    const engine = service.app.get(ApiVersions).engine('v1');
    const kind = engine.graph.get('DummyIssue');
    const issues = engine.service(kind) as unknown as RecordService;
    const user = engine.ids.decode('User', assignee.id) ?? '';
    const request = {
      viewer: viewerOf(user, [], null),
      query: new Map(),
      headers: {},
    } as unknown as WriteRequest;
    const first: string[] = [];
    const update = (body: object) =>
      issues.update(a.issue, body, request, () => {
        first.push(Object.keys(body).join());
        return Promise.resolve();
      });
    await expect(update({ status: 'closed', title: 'mine' })).rejects.toMatchObject({
      status: 403,
      data: 'title',
    });
    await update({ status: 'closed' });
    expect(first).toEqual(['status']);
    expect(propsOf(await agent.call.get(`/dummyissues/${a.issue}`))).toMatchObject({
      title: 'issue of Alpha',
      status: 'closed',
    });
  });
});
