// What lies around the API: HTTP limits, the log, the command line, the generators, the embedded database.
export const tests = ['src/http'];

export const mutants = [
  {
    name: 'clients have ten times as long for their headers',
    file: 'src/http/limits.ts',
    from: 'headersTimeout: 30_000,',
    to: 'headersTimeout: 300_000,',
    tests: ['src/http/framing'],
  },
  {
    name: 'clients have no limit for a request',
    file: 'src/http/limits.ts',
    from: 'requestTimeout: 120_000,',
    to: 'requestTimeout: 0,',
    tests: ['src/http/framing'],
  },
  {
    name: 'the server does not take its limits',
    file: 'src/http/server.ts',
    from: 'headersTimeout: limits.headersTimeout,',
    to: '',
    tests: ['src/http/framing'],
  },
  {
    name: 'cookies stand in the log',
    file: 'src/common/redaction.ts',
    from: "'cookie', ",
    to: '',
    tests: ['src/http/logging'],
  },
  {
    name: 'what kinds take in and never show stands in the log',
    file: 'src/record/schema/kind.ts',
    from: 'if (writeOnly) neverLog(name);',
    to: 'if (!writeOnly && writeOnly) neverLog(name);',
    tests: ['src/http/logging'],
  },
  {
    name: 'secrets within something stand in the log',
    file: 'src/http/logging.ts',
    from: ', `*["${name}"]`',
    to: '',
    tests: ['src/http/logging'],
  },
  {
    name: 'repetitions of a password are not compared',
    file: 'src/cli/new-password.ts',
    from: "if ((await ask('The same again: ')) !== password) {",
    to: "if ((await ask('The same again: ')) === '') {",
    tests: ['test/cli'],
    only: 'asked for twice',
  },
  {
    name: 'of two users with one name the first is meant',
    file: 'src/cli/stage.ts',
    from: 'if (second) {',
    to: 'if (second && second.id === row.id) {',
    tests: ['test/cli'],
    only: 'can’t be done',
  },
  {
    name: 'the generator looks at one of its files alone',
    file: 'schematics/kind/plan.mjs',
    from: 'inTheWay.find((one) => project.has(one));',
    to: "inTheWay.find((one) => one.endsWith('.entity.ts') && project.has(one));",
    tests: ['test/generate'],
    only: 'overwritten',
  },
  {
    name: 'a cluster without pg_control is made anew',
    file: 'src/database/embedded/cluster.ts',
    from: 'if (missing.length !== 1) return;',
    to: "if (missing.length !== 1 || missing[0] !== 'PG_VERSION') return;",
    tests: ['src/database/embedded/embedded-postgres'],
    only: 'lost its',
  },
];
