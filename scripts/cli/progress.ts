import { styleText } from 'node:util';
import { atExit } from '../at-exit.ts';
import { wantsJson } from './program.ts';

/** What a long piece of work says of itself. */
export interface Report {
  /** The next step begins, or the one at `place`, from 1. */
  step(label: string, place?: number): void;
  /** So much of the step is done. */
  at(done: number, total: number, detail?: string): void;
}

export const SILENT: Report = { step() {}, at() {} };

const BAR_COLUMNS = 20;
const COLUMNS_DEFAULT = 80;
const REDRAW_MS = 1_000;
/** A step that takes longer shows its time. */
const SHOWN_SECONDS = 3;
const CLEAR_LINE = '\r\u001b[2K';

/** The one that is drawn now, if any. */
let drawn: Progress | undefined;

/** Removes the line of progress from the terminal, so that other lines can follow. */
export function endProgress(): void {
  drawn?.end();
}

/** Where progress is drawn: standard error, or a stream of a test. */
export type Screen = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/**
 * Progress on standard error: one line that is drawn again and again on a terminal, otherwise a line for each step. It
 * makes no guess of what is left: `total` steps are known, and their time is not.
 */
export class Progress implements Report {
  readonly #screen: Screen;
  readonly #total: number;
  readonly #paint: (text: string) => string;
  readonly #callOff: () => void;
  #timer: NodeJS.Timeout | undefined;
  #label = '';
  #detail = '';
  #index = 0;
  #share = 0;
  #startedAt = 0;

  constructor(total: number, screen: Screen = process.stderr) {
    this.#screen = screen;
    this.#total = total;
    this.#paint = (text) => (wantsJson() ? text : styleText('cyan', text, { stream: this.#screen }));
    this.#callOff = atExit(() => this.end());
    drawn = this;
  }

  step(label: string, place = this.#index + 1): void {
    this.#label = label;
    this.#detail = '';
    this.#index = place;
    this.#share = 0;
    this.#startedAt = Date.now();
    if (!this.#screen.isTTY) return void this.#screen.write(`${label} …\n`);
    this.#timer ??= setInterval(() => this.#draw(), REDRAW_MS).unref();
    this.#draw();
  }

  at(done: number, total: number, detail = ''): void {
    this.#share = total > 0 ? Math.min(done / total, 1) : 0;
    this.#detail = detail;
    if (this.#timer) this.#draw();
  }

  /** Prints a line that stays. */
  say(line: string): void {
    if (!this.#timer) return void this.#screen.write(`${line}\n`);
    this.#screen.write(`${CLEAR_LINE}${line}\n`);
    this.#draw();
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#timer) this.#screen.write(CLEAR_LINE);
    this.#timer = undefined;
    this.#callOff();
    if (drawn === this) drawn = undefined;
  }

  #draw(): void {
    const share = Math.min((this.#index - 1 + this.#share) / this.#total, 1);
    const filled = Math.round(share * BAR_COLUMNS);
    const seconds = Math.floor((Date.now() - this.#startedAt) / 1_000);
    const words = [
      ` ${Math.min(this.#index, this.#total)}/${this.#total} ${this.#label}`,
      ...(this.#detail ? [`: ${this.#detail}`] : []),
      ...(seconds >= SHOWN_SECONDS ? [` (${seconds} s)`] : []),
    ].join('');
    // A terminal that does not know its width says 0.
    const room = (this.#screen.columns || COLUMNS_DEFAULT) - BAR_COLUMNS - 1;
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_COLUMNS - filled);
    this.#screen.write(`${CLEAR_LINE}${this.#paint(bar)}${words.slice(0, Math.max(room, 0))}`);
  }
}
