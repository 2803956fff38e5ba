/*
 * A hardware barcode reader is a keyboard that types a code in one go and ends it with Enter or Tab. No person types this fast, which is how the two are told apart.
 */

const KEY_GAP_MILLIS_MAX = 50;
const CODE_CHARS_MIN = 4;

/** What typed keys mean: `typing` is a person or the beginning of a code, `code` its end, `inside` a key that belongs to a code for certain. */
export type Keystroke = { kind: 'typing' } | { kind: 'inside' } | { kind: 'code'; value: string };

/** Puts keystrokes together. */
export class KeyboardWedge {
  #typed = '';
  #lastAt = Number.NEGATIVE_INFINITY;

  /** Takes one keystroke: the key's name as in `KeyboardEvent.key`, and when it came, in milliseconds. */
  take(key: string, at: number): Keystroke {
    const isFast = at - this.#lastAt <= KEY_GAP_MILLIS_MAX;
    this.#lastAt = at;
    if (!isFast) this.#typed = '';
    if (key === 'Enter' || key === 'Tab') {
      const value = this.#typed;
      this.#typed = '';
      return value.length >= CODE_CHARS_MIN ? { kind: 'code', value } : { kind: 'typing' };
    }
    // Shift and its like are keys of their own, and come between the characters of a code.
    if ([...key].length !== 1) return { kind: 'typing' };
    this.#typed += key;
    return isFast && this.#typed.length > 1 ? { kind: 'inside' } : { kind: 'typing' };
  }
}

/** Calls `onCode` with each code that a reader types while no field of a form has the keyboard. */
export function listenToWedge(onCode: (value: string) => void): void {
  const wedge = new KeyboardWedge();
  const listen = (event: KeyboardEvent) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || isField(event.target)) return;
    const stroke = wedge.take(event.key, event.timeStamp);
    if (stroke.kind === 'typing') return;
    // A space or Enter would press the button that happens to have the focus.
    event.preventDefault();
    event.stopImmediatePropagation();
    if (stroke.kind === 'code') onCode(stroke.value);
  };
  document.addEventListener('keydown', listen, { capture: true });
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input:not([type="checkbox"]), textarea, select');
}
