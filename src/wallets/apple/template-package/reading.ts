import type { Warnings } from './warnings.ts';

/** How a pass.json is read. */
export interface PassReading {
  /** Whether it is that of a pass, of which parts belong to its holder. */
  isExample: boolean;
  /** What the code of the example says. */
  barcodeMessage?: string;
  /** IANA zone of the dates of the new template. */
  timezone: string;
  now: number;
  warnings: Warnings;
}
