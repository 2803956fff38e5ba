import type { KeySettings } from '../../platform/sealed-text.ts';
import { isCurrentCode } from '../../platform/totp.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { rotatingKey } from '../passes/page/rotating-key.ts';

/** A scanned text with a code: the barcode value, a dot, and a one-time code. */
const WITH_CODE = /^(.+)\.(\d{6,8})$/s;

/** Returns the text before a one-time code; undefined without a code. */
export function textBeforeCode(barcode: string | undefined): string | undefined {
  return barcode === undefined ? undefined : WITH_CODE.exec(barcode)?.[1];
}

/**
 * Kind of a scanned text for a pass whose code rotates: a code of the last day, an older one that an offline scan sends
 * late, the value that Apple Wallet shows, or none. `any`: the code doesn't rotate, or the pass wasn't named by a code.
 */
export type ScannedCode = 'any' | 'recent' | 'past' | 'static' | 'stale';

/** Far more than three periods, because device clocks are wrong; within it, the same digits hardly recur. */
export const CODE_MEMORY_MS = 24 * 60 * 60_000;

/** Name of the pass in a scan. */
interface Naming {
  passName?: string;
  barcode?: string;
}

/** Classifies a scanned text. Times are UTC milliseconds; a device with a wrong clock sends a wrong `createdAt`. */
export function scannedCode(
  keys: KeySettings,
  { pass, definition }: Pick<DefinedPass, 'pass' | 'definition'>,
  { passName, barcode }: Naming,
  { createdAt, now }: { createdAt: number; now: number },
): ScannedCode {
  const { rotating } = definition.barcode;
  if (!rotating || passName !== undefined || barcode === undefined) return 'any';
  if (barcode === pass.barcodeValue) return rotating.apple === 'static' ? 'static' : 'stale';
  const [, text, code] = WITH_CODE.exec(barcode) ?? [];
  const key = rotatingKey(keys, pass);
  if (code === undefined || text !== pass.barcodeValue || key === undefined) return 'stale';
  const bytes = Buffer.from(key, 'hex');
  if (isCurrentCode(bytes, code, now, rotating)) return 'recent';
  if (!isCurrentCode(bytes, code, createdAt, rotating)) return 'stale';
  return createdAt > now - CODE_MEMORY_MS ? 'recent' : 'past';
}

/**
 * Whether a scanned text may name the pass that was found: only passes with a rotating code are found by the text
 * before a one-time code.
 */
export function isMeant({ pass, definition }: Pick<DefinedPass, 'pass' | 'definition'>, { passName, barcode }: Naming) {
  const isWhole = passName !== undefined || barcode === pass.barcodeValue || barcode === pass.generatedId;
  return isWhole || Boolean(definition.barcode.rotating);
}
