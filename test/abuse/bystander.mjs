// A server that does nothing: how long its answers take tells how busy the machine and the client are.
import { createServer } from 'node:http';

const server = createServer((_request, response) => response.end('{}'));
server.listen(0, '127.0.0.1', () =>
  process.stderr.write(`listens on http://127.0.0.1:${server.address().port}\n`),
);
