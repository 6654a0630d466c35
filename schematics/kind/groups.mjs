import { Mistake } from '../lib/mistake.mjs';
import { kebab, listed, pascal } from '../lib/names.mjs';
import { readProps } from './prop-language.mjs';

/**
 * What `--membership team(guest|agent|manager)` stands for: who is what in which record, accepted by that user. The groups
 * of that record are `member` and one for each role but the first. Owners and those of the last role manage members.
 * `opening` is what its kind declares then: members may see it, and whoever manages them may change it.
 */
export function planMembership({ membership }, name, project) {
  const match = /^([a-z][A-Za-z0-9]*)\(([a-z][A-Za-z0-9]*(?:\|[a-z][A-Za-z0-9]*)*)\)$/.exec(membership);
  if (!match)
    throw new Mistake(
      `membership: "${membership}" should be a kind with roles in brackets, as in team(guest|manager).`,
    );
  const [, relation, list] = match;
  const kind = pascal(kebab(relation));
  const opened = project.newest(kind);
  if (!opened)
    throw new Mistake(`membership: there is no kind ${kind}; there are ${listed(project.kindNames)}.`);
  const roles = list.split('|');
  const acting = roles.slice(1);
  const managing = ['owner', ...acting.slice(-1)];
  const who = managing.join('|');
  const seen = 'view(public)';
  const text = [
    `member:parent(User):required:createOnly:any:cascade:unique(${relation}Id):${seen}:edit(${who})`,
    `${relation}:parent(${kind}):required:createOnly:attach(${who}):cascade:list(members):${seen}:edit(${who})`,
    `role:enum(${list}):required:default(${roles[0]}):qualifier:${seen}:edit(${who})`,
    `accepted:boolean(Invited|Accepted):default(false):${seen}:edit(holder)`,
  ];
  const inherited = ['member', ...acting.slice(-1)].map((group) => [group, [`^${relation}`]]);
  const groups = { member: [{ membership: name }] };
  for (const role of acting) groups[role] = [{ membership: name, roles: [role] }];
  return {
    opened,
    opening: { groups, view: ['member'], write: acting.slice(-1) },
    props: readProps(text.join(','), { formats: {} }),
    owner: `^${relation}`,
    view: 'owner,member,holder',
    create: managing.join(),
    write: [...managing, 'holder'].join(),
    def: {
      membership: { user: 'memberId', record: `${relation}Id`, role: 'role', accepted: 'accepted' },
      groups: { holder: ['$memberId'], ...Object.fromEntries(inherited) },
    },
  };
}

/** `member=^team,assignee=$assigneeId|^project` */
export function readGroups(text, project) {
  if (text === undefined) return {};
  const groups = {};
  for (const part of text.split(',')) {
    const [, name, list] = /^\s*([a-z][A-Za-z0-9]*)\s*=(.+)$/.exec(part) ?? [];
    if (name === undefined)
      throw new Mistake(
        `groups: "${part.trim()}" should be a name and where it comes from, as in member=^team.`,
      );
    if (Object.hasOwn(groups, name))
      throw new Mistake(`groups: ${name} is there twice: member=^team|^project.`);
    if (['public', 'owner', ...project.roles].includes(name))
      throw new Mistake(`groups: ${name} means something else in access lists; choose another name.`);
    groups[name] = list.split('|').map((source) => source.trim());
  }
  return groups;
}

/**
 * The groups of each kind once the command is through.
 * @returns a function from the name of a kind to those of its groups, or to null where its source does not spell them out
 */
export function groupsAround(name, { groups, membership }, project) {
  return (kind) => {
    if (kind === name) return Object.keys(groups);
    const there = project.newest(kind)?.groups ?? null;
    return membership?.opened.kind === kind && there
      ? [...there, ...Object.keys(membership.opening.groups)]
      : there;
  };
}

/** @throws Mistake for a source that leads nowhere */
export function checkSources(groups, { props, groupsOf }, project) {
  const parents = props.filter((prop) => prop.relation?.type === 'parent');
  const words = [...project.roles, ...Object.keys(groups)];
  for (const [group, sources] of Object.entries(groups))
    for (const source of sources.filter((one) => typeof one === 'string'))
      checkSource(group, source, { parents, words, groupsOf });
}

function checkSource(group, source, { parents, words, groupsOf }) {
  const fail = (fix) => {
    throw new Mistake(`groups: ${group}: ${fix}`);
  };
  if (!/^(?:[$^]?[a-z][A-Za-z0-9]*|\^[a-z][A-Za-z0-9]*\.[a-z][A-Za-z0-9]*)$/.test(source))
    fail(`"${source}" is none of $prop, ^relation, ^relation.group, a role, a group.`);
  const name = source.slice(1);
  if (source.startsWith('$')) {
    if (parents.some((prop) => prop.name === name && prop.relation.kind === 'User')) return;
    fail(`${source} needs a prop ${name.replace(/Id$/, '')}:parent(User).`);
  }
  if (!source.startsWith('^')) {
    if (words.includes(source)) return;
    fail(`"${source}" is neither a role nor a group of the kind (${listed(words)}).`);
  }
  const [relation, theirs = group] = name.split('.');
  const parent = parents.find((prop) => prop.relation.name === relation);
  if (!parent) fail(`${source} needs a prop ${relation}:parent(Kind).`);
  const { kind } = parent.relation;
  const known = groupsOf(kind);
  if (theirs === 'owner' || !known || known.includes(theirs)) return;
  fail(`${source} needs a group ${theirs} of ${kind}, which has ${known.length ? listed(known) : 'none'}.`);
}

/** @throws Mistake when `attach(…)` names somebody whom the parent's kind does not know */
export function checkAttach({ props }, groupsOf, project) {
  for (const { name, relation } of props.filter((prop) => prop.relation?.attach)) {
    const groups = groupsOf(relation.kind);
    if (!groups) continue;
    const known = ['owner', ...project.roles, ...groups];
    const wrong = relation.attach.find((word) => !known.includes(word));
    if (wrong === undefined) continue;
    throw new Mistake(
      `Prop ${name}: attach: "${wrong}" is not one of ${listed(known)}, as ${relation.kind} has them.`,
    );
  }
}
