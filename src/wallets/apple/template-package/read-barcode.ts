import type { BarcodeFormat } from '../../../platform/barcode-formats.ts';
import { isRecord } from '../../../platform/json.ts';
import { APPLE_FORMATS } from '../pass-json.ts';
import type { PassReading } from './reading.ts';

/** Placeholder for the barcode value in pass.json of a template. */
export const OWN_CODE = '{barcodeValue}';

interface Code {
  format: BarcodeFormat;
  message?: string;
  altText?: string;
}

const FORMATS = Object.fromEntries(Object.entries(APPLE_FORMATS).map(([ours, apples]) => [apples, ours])) as Record<
  string,
  BarcodeFormat
>;

/** Returns the code that devices show: the first one with a known format. */
export function firstCode({ barcodes, barcode }: Record<string, unknown>): Code | undefined {
  for (const code of [...(Array.isArray(barcodes) ? barcodes : []), barcode]) {
    if (!isRecord(code) || typeof code.format !== 'string' || !Object.hasOwn(FORMATS, code.format)) continue;
    const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
    return { format: FORMATS[code.format]!, message: text(code.message), altText: text(code.altText) };
  }
  return undefined;
}

/**
 * Returns the member `barcode` of a definition: the format, and the part of the text below it that is the same on all
 * passes.
 */
export function readBarcode(pass: Record<string, unknown>, { isExample, warnings }: PassReading): object {
  const code = firstCode(pass);
  if (!code) {
    if (pass.barcodes !== undefined || pass.barcode !== undefined)
      warnings.add('barcodes', 'has no code of a known format; the template shows none');
    return { format: 'none' };
  }
  const { format, message = OWN_CODE, altText = '' } = code;
  if (!isExample) {
    const isOwn = message === OWN_CODE || message === '';
    return { format, alternativeText: altText, ...(isOwn ? { useAutoIdForValue: true } : { value: message }) };
  }
  const own = { format, useAutoIdForValue: true };
  warnings.add('barcodes', 'the message belongs to the example pass; each pass gets a code of its own');
  if (altText === message) return { ...own, alternativeText: OWN_CODE };
  if (altText !== '') warnings.add('barcodes.altText', 'belongs to the example pass; left out');
  return own;
}
