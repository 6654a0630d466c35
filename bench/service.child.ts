import { createApp } from '../src/bootstrap.js';
import { loadConfig } from '../src/config/config.js';
import { tuneGarbageCollector } from '../src/common/garbage-collector.js';
import { ArticleModule } from './article.js';
import { serve } from './child.js';

// The service, as src/main.ts and src/service.ts start it, with one kind more.
tuneGarbageCollector();
await serve(async () => {
  const config = loadConfig(process.env);
  const app = await createApp({
    config,
    databaseUrl: config.databaseUrl,
    progress: (line) => console.error(line),
    kinds: [ArticleModule],
  });
  await app.listen(config.port, config.host);
  return app.getUrl();
});
