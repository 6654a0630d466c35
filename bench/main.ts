import { compare } from './compare.js';
import { growth } from './growth.js';
import { memory } from './memory.js';
import { benchOptions, type BenchOptions, type Mode } from './options.js';
import { Stage } from './stage.js';
import { type Verdict, verdictTable } from './verdict.js';
import { writers } from './writers.js';

const MODES: Record<Mode, (stage: Stage, options: BenchOptions) => Promise<Verdict[]>> = {
  compare,
  growth,
  memory,
  writers,
};

/** Undone in reverse order at the end, on failure and on Ctrl-C. */
const cleanups: (() => Promise<unknown>)[] = [];
let ending: Promise<void> | undefined;

const say = (line: string): void => console.log(line);

function cleanUp(): Promise<void> {
  return (ending ??= (async () => {
    for (const act of cleanups.reverse()) await act().catch((error: unknown) => say(String(error)));
  })());
}

async function main(options: BenchOptions): Promise<void> {
  const stage = await Stage.open(cleanups, say);
  const verdicts = await MODES[options.mode](stage, options);
  if (verdicts.length) say(`\n${verdictTable(verdicts)}`);
  if (options.strict && verdicts.some(({ isMet }) => isMet === false)) process.exitCode = 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    say('Stopping …');
    void cleanUp().then(() => process.exit(130));
  });
}
try {
  await main(benchOptions(process.argv.slice(2)));
} catch (error) {
  // While we stop on a signal, servers that end are no news.
  if (!ending) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
await cleanUp();
