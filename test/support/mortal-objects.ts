import { type MemoryStorage, memoryStorage } from './memory-storage.ts';
import type { Random } from './random.ts';

interface Living {
  alarm?(): Promise<void>;
}

type ObjectClass = new (ctx: DurableObjectState, env: never) => unknown;

/**
 * The Durable Objects of one class, in this process. Some crash: before a call, which then reaches a new one without
 * memory, or after it, which loses the answer.
 */
export class MortalObjects {
  deaths = 0;
  /** The method whose next call is followed by a crash. */
  fatal: string | undefined;
  #make: ObjectClass;
  #env: () => unknown;
  #random: Random;
  #diesOneIn: number;
  #storages = new Map<string, MemoryStorage>();
  #living = new Map<string, { object: Living; begun: Promise<unknown> }>();

  /** `diesOneIn`: one in this many calls causes a crash; 0: none. */
  constructor(make: ObjectClass, env: () => unknown, random: Random, diesOneIn: number) {
    this.#make = make;
    this.#env = env;
    this.#random = random;
    this.#diesOneIn = diesOneIn;
  }

  get binding(): DurableObjectNamespace {
    // Nobody uses anything else of a namespace.
    return {
      idFromName: (name: string) => name,
      get: (name: string) => this.#stub(name),
    } as unknown as DurableObjectNamespace;
  }

  /** Returns an object with the real object's methods. It isn't a thenable, so async functions can return it. */
  #stub(name: string): object {
    const call =
      (method: string) =>
      (...input: unknown[]) =>
        this.#call(name, method, input);
    return new Proxy({}, { get: (_, method) => (method === 'then' ? undefined : call(method as string)) });
  }

  async #call(name: string, method: string, input: unknown[]): Promise<unknown> {
    const dies = this.#diesOneIn > 0 && this.#random.oneIn(this.#diesOneIn);
    const isFatal = method === this.fatal;
    if (isFatal) this.fatal = undefined;
    const isAfter = isFatal || (dies && this.#random.oneIn(2));
    if (dies && !isAfter) this.#kill(name);
    const object = await this.#wake(name);
    const result = await (object as Record<string, (...input: unknown[]) => unknown>)[method]!(...input);
    if (!isAfter) return structuredClone(result);
    this.#kill(name);
    throw Object.assign(new Error('The Durable Object was reset.'), { retryable: true });
  }

  #kill(name: string): void {
    this.#living.delete(name);
    this.deaths += 1;
  }

  async #wake(name: string): Promise<Living> {
    const known = this.#living.get(name);
    if (known) {
      await known.begun;
      return known.object;
    }
    const storage = this.#storages.get(name) ?? memoryStorage();
    this.#storages.set(name, storage);
    let begun: Promise<unknown> = Promise.resolve();
    const state = {
      id: { name },
      storage,
      waitUntil() {},
      blockConcurrencyWhile: (work: () => Promise<unknown>) => {
        begun = work();
        return begun;
      },
    };
    const object = new this.#make(state as unknown as DurableObjectState, this.#env() as never) as Living;
    this.#living.set(name, { object, begun });
    await begun;
    return object;
  }

  /** Whether a row in an object's table contains a text. */
  holds(name: string, table: string, text: string): boolean {
    const rows = this.#storages.get(name)!.sql.exec(`select * from ${table}`).toArray();
    return JSON.stringify(rows).includes(text);
  }

  /** Runs the alarms that are due. */
  async ring(): Promise<void> {
    for (const [name, storage] of this.#storages) {
      if (storage.alarmAt === null || storage.alarmAt > Date.now()) continue;
      storage.alarmAt = null;
      const object = await this.#wake(name);
      await object.alarm?.();
    }
  }
}
