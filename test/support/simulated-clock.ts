import { vi } from 'vitest';

/** An action scheduled for a time. */
interface Event {
  at: number;
  run: () => unknown;
}

/**
 * A clock that jumps from event to event: `Date.now` and `setTimeout` follow it while it runs. The code under test may
 * only wait for timers and microtasks.
 */
export class SimulatedClock {
  now: number;
  /** A binary heap with the next event first. */
  #events: Event[] = [];

  constructor(now: number) {
    this.now = now;
  }

  after(ms: number, run: () => unknown): void {
    const events = this.#events;
    const event = { at: this.now + Math.max(0, ms), run };
    let i = events.length;
    for (; i > 0; i = (i - 1) >> 1) {
      const parent = events[(i - 1) >> 1]!;
      if (parent.at <= event.at) break;
      events[i] = parent;
    }
    events[i] = event;
  }

  /** Runs until `isDone`, which is checked between events. */
  async run(isDone: () => boolean): Promise<void> {
    const realNow = Date.now;
    // The library's fake timers take ten times as long, and a spy records each call.
    Date.now = () => this.now;
    vi.stubGlobal('setTimeout', (run: () => void, ms = 0) => this.after(ms, run));
    try {
      while (this.#events.length > 0 && !isDone()) await this.#step();
    } finally {
      vi.unstubAllGlobals();
      Date.now = realNow;
    }
  }

  /** Runs all events of one millisecond, and what they start. */
  async #step(): Promise<void> {
    this.now = Math.max(this.now, this.#events[0]!.at);
    while (this.#events.length > 0 && this.#events[0]!.at < this.now + 1) this.#take().run();
    await new Promise((resolve) => setImmediate(resolve));
  }

  #take(): Event {
    const events = this.#events;
    const first = events[0]!;
    const last = events.pop()!;
    if (events.length === 0) return first;
    let i = 0;
    for (;;) {
      const left = 2 * i + 1;
      const child = left + 1 < events.length && events[left + 1]!.at < events[left]!.at ? left + 1 : left;
      if (child >= events.length || events[child]!.at >= last.at) break;
      events[i] = events[child]!;
      i = child;
    }
    events[i] = last;
    return first;
  }
}
