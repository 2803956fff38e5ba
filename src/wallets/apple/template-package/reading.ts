import type { Warnings } from './warnings.ts';

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
