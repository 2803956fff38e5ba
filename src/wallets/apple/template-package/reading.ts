import { describeIssue, fieldIssue } from '../../../domain/errors.ts';

/** Options for reading a pass.json. */
export interface PassReading {
  /** Whether it belongs to a pass, so that parts of it belong to a holder. */
  isExample: boolean;
  /** Message of the example's barcode. */
  barcodeMessage?: string;
  /** IANA zone of the new template's dates. */
  timezone: string;
  now: number;
  warnings: Warnings;
}

const WARNINGS_MAX = 100;
const PATH_CHARS_MAX = 100;

/** Collects warnings about what an import leaves out and why, as texts for the caller. */
export class Warnings {
  #texts: string[] = [];
  #beyond = 0;

  /** `path`: the member of pass.json or the definition, or the file. */
  add(path: string, message: string): void {
    if (this.#texts.length < WARNINGS_MAX) {
      this.#texts.push(describeIssue(fieldIssue(path.slice(0, PATH_CHARS_MAX), message)));
    } else this.#beyond++;
  }

  get texts(): string[] {
    return this.#beyond > 0 ? [...this.#texts, `There are ${this.#beyond} more`] : this.#texts;
  }
}
