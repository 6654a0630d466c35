// Our generators in a process of their own, which runs in a project and answers one message after the other:
// {commands}: runs each as `nest g` does, where a command is the words after that; answers a list of {code, out}.
// {options}: what the generators make of each of these options, a `number` being one of a version of the API, without
// writing anything; answers {keywords, answers}, where an answer is a refusal or null.
import { apiVersion } from '../../schematics/api-version/index.mjs';
import { kind } from '../../schematics/kind/index.mjs';
import { SQL_KEYWORDS } from '../../schematics/kind/keywords.mjs';
import { generatorNamed, runGenerator } from '../../schematics/lib/command.mjs';

let out = '';
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (chunk, ...rest) => {
    out += chunk;
    rest.find((one) => typeof one === 'function')?.();
    return true;
  };
}

async function run(commands) {
  const ended = [];
  for (const [word, ...args] of commands) {
    out = '';
    const code = await runGenerator(generatorNamed(word), args, `nest g ${word}`);
    ended.push({ code, out });
  }
  return ended;
}

function refusalOf(options) {
  try {
    ('number' in options ? apiVersion : kind)(options)();
    return null;
  } catch (error) {
    return error.name === 'Error' ? error.message : String(error.stack);
  }
}

process.on('message', async ({ commands, options }) => {
  process.send(
    commands ? await run(commands) : { keywords: [...SQL_KEYWORDS], answers: options.map(refusalOf) },
  );
});
