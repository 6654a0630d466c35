// As many services as argv[2] says in one process, so that they die at the same moment; each says where it listens.
import { startService } from '../../dist/src/service.js';

const starts = Array.from({ length: Number(process.argv[2]) }, () =>
  startService(process.env, () => undefined),
);
for (const { url } of await Promise.all(starts)) process.stderr.write(`listens on ${url}\n`);
