// One instance of the service as a process of its own, from the build, with handlers that tests steer. Forked by
// cron-instances.ts: the options come as JSON in argv[2]; it says {ready: url}, answers 'timers' and takes
// {settings} for its scheduler.
import { existsSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { createApp } from '../../dist/src/bootstrap.js';
import { loadConfig } from '../../dist/src/config/config.js';
import { Database } from '../../dist/src/postgres/database.js';
import { CronHandler } from '../../dist/src/scheduler/cron-handler.js';
import { SchedulerSettings } from '../../dist/src/scheduler/scheduler-settings.js';

const { databaseUrl, env, settings } = JSON.parse(process.argv[2]);

/** Holds until the file `gate` is there. */
async function hold({ gate }, { signal }, tell) {
  await tell('began');
  while (!existsSync(gate)) {
    if (signal.aborted) {
      await tell('aborted');
      throw new Error('aborted');
    }
    await sleep(10);
  }
  await tell('ended');
}

/** What handlers do, by name. `tell` writes down that something happened, here and now. */
const BEHAVIOURS = {
  Note: (_params, _context, tell) => tell('ran'),
  Hold: hold,
  // The first try stops the whole process until the file `loop` is there, as a loop that never awaits does.
  async Busy(params, context, tell) {
    if (context.attempt > 1) return hold(params, context, tell);
    await tell('began');
    const nothing = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(params.loop)) Atomics.wait(nothing, 0, 0, 10);
  },
  Throws() {
    throw new Error('thrown at once');
  },
  async Rejects() {
    await sleep(10);
    throw new Error(`rejected later \0 \ud800 ${'x'.repeat(5000)}`);
  },
  ThrowsText() {
    throw 'only a text';
  },
  RejectsUndefined: () => Promise.reject(undefined),
  ThrowsNoText() {
    throw Object.create(null);
  },
  // Nobody hears the error, and the promise never settles.
  StreamError() {
    const stream = new PassThrough();
    setTimeout(() => stream.emit('error', new Error('stream broke')), 10);
    return new Promise(() => undefined);
  },
  StrayRejection() {
    setTimeout(() => void Promise.reject(new Error('nobody awaits')), 10);
    return new Promise(() => undefined);
  },
  Garbage() {
    const garbage = { toJSON: () => garbage };
    garbage.self = garbage;
    return garbage;
  },
  GarbageThenable() {
    return {
      get then() {
        throw new Error('no then');
      },
    };
  },
};

const providers = Object.entries(BEHAVIOURS).map(([name, behaviour]) => {
  class Handler {
    constructor(database) {
      this.database = database;
    }

    run(params, context) {
      const tell = (event) =>
        this.database.write({
          text: 'INSERT INTO testing.calls (handler, event, tick, attempt, pid, mark) VALUES ($1, $2, $3, $4, $5, $6)',
          values: [name, event, context.scheduledFor, context.attempt, process.pid, params.mark],
        });
      return behaviour(params, context, tell);
    }
  }
  Reflect.defineMetadata('design:paramtypes', [Database], Handler);
  CronHandler(name)(Handler);
  return Handler;
});

class BehavioursModule {}
Module({ providers })(BehavioursModule);

const config = loadConfig({ ...env, DATABASE_URL: databaseUrl });
const app = await createApp({
  config,
  databaseUrl,
  progress: () => undefined,
  kinds: [BehavioursModule],
  scheduler: settings,
});
await app.listen(0, '127.0.0.1');

process.on('message', (message) => {
  if (message === 'timers') process.send({ timers: app.get(SchedulerRegistry).getTimeouts() });
  if (message.settings) Object.assign(app.get(SchedulerSettings), message.settings);
});
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
process.on('disconnect', () => process.exit(0)); // whoever forked us is gone
process.send({ ready: `http://127.0.0.1:${app.getHttpServer().address().port}` });
