/*
 * Detects hardware barcode readers, which act as keyboards. They type a code at once and end it with Enter or Tab,
 * faster than any person.
 */

/** Wireless readers pause between characters, but are fast on average. */
const GAP_MILLIS_MAX = 150;
const GAP_MILLIS_MEAN_MAX = 60;
const CODE_CHARS_MIN = 4;

/** Meaning of a key: `typing` is a person, or the start of a code; `inside` belongs to a code; `code` completes one. */
type Keystroke = { kind: 'typing' } | { kind: 'inside' } | { kind: 'code'; value: string };

/** Assembles codes from keystrokes. */
export class KeyboardWedge {
  #typed: string[] = [];
  #startedAt = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** Adds a keystroke: the name as in `KeyboardEvent.key`, and its time in milliseconds. */
  take(key: string, at: number): Keystroke {
    if (at - this.#lastAt > GAP_MILLIS_MAX) this.#typed = [];
    this.#lastAt = at;
    if (key === 'Enter' || key === 'Tab') {
      const value = this.#typed.join('');
      const isCode = this.#typed.length >= CODE_CHARS_MIN && this.#isFast(at);
      this.#typed = [];
      return isCode ? { kind: 'code', value } : { kind: 'typing' };
    }
    // Modifier keys such as Shift come between the characters of a code.
    if ([...key].length !== 1) return { kind: 'typing' };
    if (this.#typed.length === 0) this.#startedAt = at;
    this.#typed.push(key);
    return this.#typed.length > 1 && this.#isFast(at) ? { kind: 'inside' } : { kind: 'typing' };
  }

  #isFast(at: number): boolean {
    return (at - this.#startedAt) / this.#typed.length <= GAP_MILLIS_MEAN_MAX;
  }
}
