import { styleText } from 'node:util';
import { atExit } from '../at-exit.ts';
import { wantsJson } from './program.ts';

/** Reports the progress of a long operation. */
export interface Report {
  /** Begins the next step, or the one at `place`, counted from 1. */
  step(label: string, place?: number): void;
  /** Reports how much of the step is done. */
  at(done: number, total: number, detail?: string): void;
  /** Prints a permanent line. */
  say(line: string): void;
}

export const SILENT: Report = { step() {}, at() {}, say() {} };

const BAR_COLUMNS = 20;
const COLUMNS_DEFAULT = 80;
const REDRAW_MS = 1_000;
/** Steps longer than this show their duration. */
const SHOWN_SECONDS = 3;
const CLEAR_LINE = '\r\u001b[2K';

/** The progress line on screen, if any. */
let drawn: Progress | undefined;

/** Clears the progress line, so that other lines can follow. */
export function endProgress(): void {
  drawn?.end();
}

/** Where progress is drawn: standard error, or a test's stream. */
export type Screen = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/**
 * Progress on standard error: a redrawn line on a terminal, otherwise one line per step. Doesn't estimate the remaining
 * time: only the number of steps is known.
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
    // A terminal of unknown width reports 0.
    const room = (this.#screen.columns || COLUMNS_DEFAULT) - BAR_COLUMNS - 1;
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_COLUMNS - filled);
    this.#screen.write(`${CLEAR_LINE}${this.#paint(bar)}${words.slice(0, Math.max(room, 0))}`);
  }
}
