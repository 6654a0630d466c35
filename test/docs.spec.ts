import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { CommandMetadata } from 'nest-commander';
import type { Type } from '@nestjs/common';
import { CliModule } from '../src/cli/cli.module.js';
import { CONFIG_VARIABLES } from '../src/config/config.js';

/** Path → text of every Markdown file of the project. */
const pages = new Map(
  ['.', 'client', 'docs', 'docs/decisions']
    .flatMap((folder) => readdirSync(folder).map((name) => normalize(join(folder, name))))
    .filter((path) => path.endsWith('.md'))
    .map((path) => [path, readFileSync(path, 'utf8')]),
);

const page = (path: string): string => {
  const text = pages.get(path);
  if (text === undefined) throw new Error(`There is no ${path}.`);
  return text;
};

const withoutBlocks = (text: string): string => text.replace(/^```[^]*?^```/gm, '');

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutBlocks(text).matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replace(/ /g, '-');
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** What is wrong with a relative link that stands on a page; null when it leads somewhere. */
function faultOf(from: string, link: string): string | null {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? from : normalize(join(dirname(from), decodeURIComponent(file)));
  if (!existsSync(path)) return `${from}: ${link} leads to no file`;
  if (anchor === undefined) return null;
  return anchorsOf(pages.get(path) ?? '').has(anchor) ? null : `${from}: ${link} leads to no heading`;
}

describe('the documents', () => {
  it('link to files and headings that exist', () => {
    const links = [...pages].flatMap(([path, text]) =>
      [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !/^[a-z]+:/.test(link))
        .map((link) => [path, link] as const),
    );
    expect(links.length).toBeGreaterThan(50);
    expect(links.flatMap(([path, link]) => faultOf(path, link) ?? [])).toEqual([]);
  });

  it('notice a link that leads nowhere', () => {
    expect(faultOf('README.md', 'docs/none.md')).toMatch('no file');
    expect(faultOf('docs/api.md', 'errors.md#none')).toMatch('no heading');
    expect(faultOf('docs/api.md', '../README.md#start')).toBeNull();
  });

  it('name files of the project that exist', () => {
    // The changelog may name what has moved since.
    // What the generators write, in examples.
    const generated = /^src\/(kinds\/(article|booking)|versions)\b|^docs\/openapi\.v2\.json$/;
    const current = [...pages].filter(([path]) => path !== 'CHANGELOG.md');
    const named = current.flatMap(([path, text]) =>
      [...withoutBlocks(text).matchAll(/`((?:src|test|docs|client|deploy|bench|scripts)\/[\w./-]*)`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !generated.test(name) && !existsSync(name))
        .map((name) => `${path}: ${name}`),
    );
    expect(named).toEqual([]);
  });
});

describe('the examples that run', () => {
  it.each([
    ['sh tour', ['docs/tour.md']],
    ['ts example', ['docs/jobs.md', 'docs/kinds.md']],
    ['js client', ['docs/client.md']],
    ['http', ['docs/api.md', 'docs/errors.md']],
  ])('marked as %s stand where a test looks for them', (mark, expected) => {
    const found = [...pages].filter(([, text]) => text.includes(`\n\`\`\`${mark}\n`)).map(([path]) => path);
    expect(found.sort()).toEqual(expected);
  });
});

describe('the README', () => {
  it('is short', () => {
    expect(page('README.md').split('\n').length).toBeLessThanOrEqual(151);
  });

  it('shows an excerpt of the kind of docs/kinds.md', () => {
    const [, whole = ''] =
      /```ts example\n(\/\/ [\w/-]+\/article\.entity\.ts[^]*?)```/.exec(page('docs/kinds.md')) ?? [];
    const [, excerpt = ''] = /```ts\n([^]*?)```/.exec(page('README.md')) ?? [];
    const parts = excerpt.trim().split('\n\n');
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(whole).toContain(part);
  });
});

describe('docs/configuration.md', () => {
  it('lists the variables of the configuration', () => {
    const rows = page('docs/configuration.md').matchAll(
      /^\| `([A-Z0-9_]+)` *\| *(?:`([^`]*)`)? *\| (.*?) *\|$/gm,
    );
    expect([...rows].map(([, name, preset = '', meaning]) => ({ name, default: preset, meaning }))).toEqual(
      CONFIG_VARIABLES.map(({ name, default: preset, meaning }) => ({ name, default: preset, meaning })),
    );
  });
});

describe('a document that names a variable', () => {
  it('names one that the service, its SDK or the system has', () => {
    const known = new Set(CONFIG_VARIABLES.map(({ name }) => name));
    // OpenTelemetry's own, a limit of Linux, constants of generated code.
    const others = /^(OTEL_(BSP|EXPORTER|RESOURCE|TRACES)_\w+|RLIMIT_\w+|V2_\w+)$/;
    const current = [...pages].filter(([path]) => path !== 'CHANGELOG.md');
    const named = current.flatMap(([path, text]) =>
      [...withoutBlocks(text).matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g)].map(
        ([, name = '']) => [path, name] as const,
      ),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(([, name]) => !known.has(name) && !others.test(name))).toEqual([]);
  });
});

describe('docs/command-line.md', () => {
  type Command = Type & { prototype: object };
  const metadata = (key: string, command: Type) =>
    Reflect.getMetadata(`CommandBuilder:${key}:Meta`, command) as CommandMetadata | undefined;

  /** A command as it is typed, or those below it. */
  function typed(command: Type, group = ''): string[] {
    const {
      name = '',
      arguments: words = '',
      subCommands = [],
    } = metadata('Command', command) ?? metadata('Subcommand', command) ?? {};
    if (subCommands.length > 0) return subCommands.flatMap((one) => typed(one as Type, `${name} `));
    return [`${group}${name} ${words}`.trim()];
  }

  it('lists the commands, with their arguments', () => {
    const providers = Reflect.getMetadata('providers', CliModule) as Command[];
    const commands = providers.filter((one) => metadata('Command', one)).flatMap((one) => typed(one));
    expect(commands.length).toBeGreaterThan(4);
    const rows = page('docs/command-line.md').matchAll(/^\| `([^`]+)` +\|/gm);
    expect([...rows].map(([, command]) => command).sort()).toEqual(commands.sort());
  });
});
