/** Turns that are remembered at a time; who comes beyond them asks again when it is back. */
const TURNS_MAX = 200_000;
/** A turn that nobody has come for is forgotten after this time. */
const KEPT_MS = 10 * 60_000;

/**
 * Hands out turns, evenly and in the order in which they are asked for, so that many who do not know of each other keep
 * one rate together. Who has to wait keeps its turn: it is asked for again by the same name. It lives in memory; a pace
 * that is lost begins anew. Times are UTC milliseconds.
 */
export class Pace {
  #callMs: number;
  /** When the next turn is free. */
  #freeAt = 0;
  /** In the order of their times. */
  #turns = new Map<string, number>();

  constructor(callsPerSecond: number) {
    this.#callMs = 1_000 / callsPerSecond;
  }

  /**
   * Milliseconds until the turn of `name`, which is for that many calls; 0 when it is now. Up to `patienceMs` the asker
   * waits and goes then without asking again; beyond, it asks again after the time.
   */
  turn(name: string, calls: number, patienceMs: number, now: number): number {
    this.#forget(now - KEPT_MS);
    const kept = this.#turns.get(name);
    if (kept !== undefined && kept > now + patienceMs) return kept - now;
    this.#turns.delete(name);
    if (kept !== undefined) return Math.max(0, kept - now);
    const at = Math.max(now, this.#freeAt);
    this.#freeAt = at + calls * this.#callMs;
    if (at > now + patienceMs && this.#turns.size < TURNS_MAX) this.#turns.set(name, at);
    return at - now;
  }

  #forget(before: number): void {
    for (const [name, at] of this.#turns) {
      if (at >= before) return;
      this.#turns.delete(name);
    }
  }
}
