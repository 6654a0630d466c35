interface Waiting<V> {
  readonly resolve: (value: V | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects the keys that are asked for in one turn of the event loop and loads them together; equal keys once. What is
 * loaded is sent after the last of them was asked for, so nobody gets an answer older than its question.
 */
export class PerTurn<V> {
  private waiting = new Map<string, Waiting<V>[]>();

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
    return new Promise((resolve, reject) => {
      if (!this.waiting.size) setImmediate(() => this.flush());
      const others = this.waiting.get(key);
      if (others) others.push({ resolve, reject });
      else this.waiting.set(key, [{ resolve, reject }]);
    });
  }

  private flush(): void {
    const { waiting } = this;
    this.waiting = new Map();
    const keys = [...waiting.keys()];
    for (let i = 0; i < keys.length; i += this.most) {
      const batch = keys.slice(i, i + this.most);
      const each = (act: (one: Waiting<V>, key: string) => void) => {
        for (const key of batch) for (const one of waiting.get(key) ?? []) act(one, key);
      };
      this.load(batch).then(
        (found) => each((one, key) => one.resolve(found.get(key) ?? null)),
        (error: unknown) => each((one) => one.reject(error)),
      );
    }
  }
}
