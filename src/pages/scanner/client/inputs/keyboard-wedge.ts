/*
 * A hardware barcode reader is a keyboard that types a code in one go and ends it with Enter or Tab. No person types
 * this fast, which is how the two are told apart.
 */

/** Wireless readers stutter; on the whole they are fast. */
const GAP_MILLIS_MAX = 150;
const GAP_MILLIS_MEAN_MAX = 60;
const CODE_CHARS_MIN = 4;

/** What a key means: `typing` is a person, or the beginning of a code; `inside` belongs to a code; `code` ends it. */
export type Keystroke = { kind: 'typing' } | { kind: 'inside' } | { kind: 'code'; value: string };

/** Puts keystrokes together. */
export class KeyboardWedge {
  #typed: string[] = [];
  #startedAt = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** Takes one keystroke: the key's name as in `KeyboardEvent.key`, and when it came, in milliseconds. */
  take(key: string, at: number): Keystroke {
    if (at - this.#lastAt > GAP_MILLIS_MAX) this.#typed = [];
    this.#lastAt = at;
    if (key === 'Enter' || key === 'Tab') {
      const value = this.#typed.join('');
      const isCode = this.#typed.length >= CODE_CHARS_MIN && this.#isFast(at);
      this.#typed = [];
      return isCode ? { kind: 'code', value } : { kind: 'typing' };
    }
    // Shift and its like are keys of their own, and come between the characters of a code.
    if ([...key].length !== 1) return { kind: 'typing' };
    if (this.#typed.length === 0) this.#startedAt = at;
    this.#typed.push(key);
    return this.#typed.length > 1 && this.#isFast(at) ? { kind: 'inside' } : { kind: 'typing' };
  }

  #isFast(at: number): boolean {
    return (at - this.#startedAt) / this.#typed.length <= GAP_MILLIS_MEAN_MAX;
  }
}
