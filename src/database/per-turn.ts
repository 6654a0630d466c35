import { Turn } from '../async/turn.js';

interface Question<V> {
  readonly key: string;
  readonly resolve: (value: V | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Loads the keys that are asked for in one turn of the event loop together; equal keys once. What is loaded is sent
 * after the last of them was asked for, so nobody gets an answer older than its question.
 */
export class PerTurn<V> {
  private readonly turn = new Turn<Question<V>>((questions) => this.answer(questions));

  /**
   * @param load the values of different keys; keys that it leaves out are null
   * @param most keys of one load; more are loaded side by side
   */
  constructor(
    private readonly load: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
    private readonly most: number,
  ) {}

  /** The value of a key, or null; fails as the load fails. */
  get(key: string): Promise<V | null> {
    return new Promise((resolve, reject) => this.turn.add({ key, resolve, reject }));
  }

  private answer(questions: readonly Question<V>[]): void {
    const keys = [...new Set(questions.map(({ key }) => key))];
    for (let i = 0; i < keys.length; i += this.most) {
      const batch = keys.slice(i, i + this.most);
      const asked = keys.length > this.most ? among(questions, batch) : questions;
      this.load(batch).then(
        (found) => {
          for (const { key, resolve } of asked) resolve(found.get(key) ?? null);
        },
        (error: unknown) => {
          for (const { reject } of asked) reject(error);
        },
      );
    }
  }
}

function among<V>(questions: readonly Question<V>[], keys: readonly string[]): readonly Question<V>[] {
  const some = new Set(keys);
  return questions.filter(({ key }) => some.has(key));
}
