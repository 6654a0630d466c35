import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Profiler } from 'node:inspector';
import type { Answer, Question, Usage } from './child.js';

/** A server under measurement, in a process of its own. */
export class ServerProcess {
  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
    /** Where it listens: `http://127.0.0.1:<port>`. */
    readonly url: string,
  ) {}

  /**
   * @param file the compiled `<name>.child.js` beside this one
   * @param env its whole environment
   */
  static async start(name: string, env: Record<string, string>): Promise<ServerProcess> {
    const child = fork(join(import.meta.dirname, `${name}.child.js`), {
      env: { PATH: process.env.PATH, ...env },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const answer = await nextAnswer(name, child);
    if (!('url' in answer)) throw new Error(`The ${name} did not say where it listens.`);
    return new ServerProcess(name, child, answer.url);
  }

  async usage(): Promise<Usage> {
    const answer = await this.ask('usage');
    if (!('usage' in answer)) throw new Error(`The ${this.name} gave no usage.`);
    return answer.usage;
  }

  async startProfile(): Promise<void> {
    await this.ask('profile-start');
  }

  async stopProfile(): Promise<Profiler.Profile> {
    const answer = await this.ask('profile-stop');
    if (!('profile' in answer)) throw new Error(`The ${this.name} gave no profile.`);
    return answer.profile;
  }

  stop(): Promise<void> {
    if (this.child.exitCode !== null || !this.child.connected) return Promise.resolve();
    return new Promise((resolve) => {
      this.child.once('exit', () => resolve());
      this.child.disconnect();
    });
  }

  /** One question at a time. */
  private ask(question: Question): Promise<Answer> {
    return nextAnswer(this.name, this.child, question);
  }
}

function nextAnswer(name: string, child: ChildProcess, question?: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`The ${name} has ended.`));
    child.once('exit', ended);
    child.once('message', (answer) => {
      child.removeListener('exit', ended);
      resolve(answer as Answer);
    });
    if (question) child.send(question, (error) => error && ended());
  });
}
