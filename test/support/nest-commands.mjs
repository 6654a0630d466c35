// Runs several of our generators one after the other, as `nest g` does, in one process: argv[2] is JSON, a list of what
// stands after `nest g`; answers {code, out} for each as JSON on descriptor 3.
import { writeFileSync } from 'node:fs';
import { generatorNamed, runGenerator } from '../../schematics/lib/command.mjs';

let out = '';
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (chunk, ...rest) => {
    out += chunk;
    rest.find((one) => typeof one === 'function')?.();
    return true;
  };
}

const ended = [];
for (const [word, ...args] of JSON.parse(process.argv[2])) {
  out = '';
  const code = await runGenerator(generatorNamed(word), args, `nest g ${word}`);
  ended.push({ code, out });
}
writeFileSync(3, JSON.stringify(ended));
