import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Controller, Get, Headers, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Access } from '../http/access.decorator.js';
import { type Cacheable, cacheable, sendCacheable } from './cacheable.js';
import type { DOCS_FILES } from './docs-files.js';
import { Describe } from '../openapi-model/operation.decorator.js';

type FileName = (typeof DOCS_FILES)[number];

const require = createRequire(import.meta.url);
/** Swagger UI as @fastify/swagger-ui brings it: the files alone, without the reporting of their original package. */
const assetOf = (name: string) => readFile(require.resolve(`@fastify/swagger-ui/static/${name}`));

/** Everything comes from this service, and only from files: no inline scripts, no other host, no frame around it. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Kindred: the API</title>
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="icon" href="docs/icon.png">
  </head>
  <body>
    <main id="docs"></main>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/docs.js"></script>
  </body>
</html>
`;

/** No validator badge and no address bar: they would ask other hosts. */
const SCRIPT = `const version = new URLSearchParams(location.search).get('version');
SwaggerUIBundle({
  url: /^v\\d+$/.test(version) ? 'api/' + version + '/openapi.json' : 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  docExpansion: 'none',
  filter: true,
  tagsSorter: 'alpha',
  validatorUrl: null,
});
`;

const HTML = 'text/html; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** `/docs`, `/docs?version=v1`: the description of the API as a page for people, which can also try the calls. */
@Controller({ path: 'docs', version: VERSION_NEUTRAL })
@Access('open')
export class DocsController {
  private readonly files = new Map<string, Promise<Cacheable>>();

  @Get()
  @Describe(null)
  page(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    return this.send(known, reply, 'page', HTML, () => Promise.resolve(Buffer.from(PAGE)));
  }

  @Get('docs.js' satisfies FileName)
  @Describe(null)
  script(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    return this.send(known, reply, 'docs.js', JAVASCRIPT, () => Promise.resolve(Buffer.from(SCRIPT)));
  }

  @Get('swagger-ui-bundle.js' satisfies FileName)
  @Describe(null)
  bundle(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    return this.send(known, reply, 'swagger-ui-bundle.js', JAVASCRIPT, assetOf);
  }

  @Get('swagger-ui.css' satisfies FileName)
  @Describe(null)
  stylesheet(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    return this.send(known, reply, 'swagger-ui.css', 'text/css; charset=utf-8', assetOf);
  }

  @Get('icon.png' satisfies FileName)
  @Describe(null)
  icon(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    return this.send(known, reply, 'favicon-32x32.png', 'image/png', assetOf);
  }

  /** @param read is asked once; the files are the same for as long as the process lives */
  private async send(
    known: string | undefined,
    reply: FastifyReply,
    name: string,
    type: string,
    read: (name: string) => Promise<Buffer>,
  ): Promise<void> {
    let file = this.files.get(name);
    if (!file) {
      file = read(name).then((body) => cacheable(body, type, { 'content-security-policy': PAGE_POLICY }));
      this.files.set(name, file);
      file.catch(() => this.files.delete(name));
    }
    await sendCacheable(known, reply, await file);
  }
}
