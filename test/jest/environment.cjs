// Where the test files run: in the process's own context, one after the other, and no longer each in a `vm` context of its
// own. There every use of a global goes through interceptors (a hundred times as slow), and each test file had to load
// all libraries anew, which took longer than most tests: now the files of a worker share them (native-module.cjs). Our own
// sources are still each file's own, and so is what a file puts into `globalThis`, `process.env` and `console`.
const vm = require('node:vm');
const { ModuleMocker } = require('jest-mock');
// Nest's packages need it, and are loaded in the order of transforms, not of imports.
require('reflect-metadata');

/** What Jest hands to `vm` for the process's own context, which `vm` knows as "none given". */
const OWN_CONTEXT = {};

const inOwnContext = (Module) =>
  class extends Module {
    constructor(...args) {
      const options = args.pop();
      super(...args, options?.context === OWN_CONTEXT ? { ...options, context: undefined } : options);
    }
  };
vm.SourceTextModule = inOwnContext(vm.SourceTextModule);
vm.SyntheticModule = inOwnContext(vm.SyntheticModule);

const { compileFunction } = vm;
vm.compileFunction = (code, params, options) => {
  const isOurs = options?.parsingContext === OWN_CONTEXT;
  return compileFunction(code, params, isOurs ? { ...options, parsingContext: undefined } : options);
};

module.exports = class OwnContextEnvironment {
  constructor() {
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = null;
    this.globals = new Set(Reflect.ownKeys(globalThis));
    this.console = globalThis.console;
    this.exit = process.exit;
    this.env = { ...process.env };
    // For native-module.cjs: this `require` is Node's, not Jest's.
    globalThis[Symbol.for('kindred.require')] = require;
    Error.stackTraceLimit = 100; // as in Jest's own environment
  }

  async setup() {}

  async teardown() {
    // What a test that failed has left running (test/support/left-running.ts).
    const running = globalThis[Symbol.for('kindred.running')] ?? [];
    await Promise.allSettled([...running].map((stop) => stop()));
    globalThis.console = this.console;
    process.exit = this.exit;
    for (const key of Reflect.ownKeys(globalThis)) {
      // Of Jest's own ones some can't be deleted; they serve the next file.
      if (!this.globals.has(key)) Reflect.deleteProperty(globalThis, key);
    }
    for (const name of Object.keys(process.env)) if (!(name in this.env)) delete process.env[name];
    Object.assign(process.env, this.env);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return OWN_CONTEXT;
  }
};
