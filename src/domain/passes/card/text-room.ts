/** The characters that texts may still take together. What does not fit is cut off. */
export class TextRoom {
  left: number;
  /** Whether something has been cut off. */
  isExceeded = false;

  constructor(charsMax: number) {
    this.left = charsMax;
  }

  /** The text as far as it fits. */
  take(text: string): string {
    const fitting = text.length > this.left ? text.slice(0, this.left).toWellFormed() : text;
    if (fitting.length < text.length) this.isExceeded = true;
    this.left -= fitting.length;
    return fitting;
  }
}
