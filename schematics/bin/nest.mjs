#!/usr/bin/env node
// The command `nest` of this project (scripts/nest-bin.mjs puts it there): our own generators with all their options,
// and the Nest CLI for everything else.
import { generatorNamed, runGenerator } from '../lib/command.mjs';

const [command, word, ...args] = process.argv.slice(2);
const generator = command === 'g' || command === 'generate' ? generatorNamed(word) : undefined;
if (generator === undefined) await import('@nestjs/cli/bin/nest.js');
else process.exitCode = await runGenerator(generator, args, `nest g ${generator}`);
