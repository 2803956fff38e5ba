import type { KeySettings } from '../../platform/encryption-keys.ts';
import { isTimely } from '../../platform/totp.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { rotatingKey } from '../passes/page/rotating-key.ts';

/** What a scanned text may be beside a barcode value: that value, a dot, and a one-time code. */
const WITH_CODE = /^(.+)\.(\d{6,8})$/s;

/** The text in front of a one-time code; undefined for one that has none. */
export function textBeforeCode(barcode: string | undefined): string | undefined {
  return barcode === undefined ? undefined : WITH_CODE.exec(barcode)?.[1];
}

/**
 * What a scanned text is to a pass whose code rotates: its code of the moment, the value that Apple Wallet shows, or
 * neither. `any`: the code of the pass doesn't rotate, or the pass was not named by a code.
 */
export type ScannedCode = 'any' | 'rotating' | 'static' | 'stale';

/** The name that a scan has for its pass. */
interface Naming {
  passName?: string;
  barcode?: string;
}

/** `times`: UTC milliseconds at which the code may have been shown. */
export function scannedCode(
  keys: KeySettings,
  { pass, definition }: Pick<DefinedPass, 'pass' | 'definition'>,
  { passName, barcode }: Naming,
  times: number[],
): ScannedCode {
  const { rotating } = definition.barcode;
  if (!rotating || passName !== undefined || barcode === undefined) return 'any';
  if (barcode === pass.barcodeValue) return rotating.apple === 'static' ? 'static' : 'stale';
  const [, text, code] = WITH_CODE.exec(barcode) ?? [];
  const key = rotatingKey(keys, pass);
  if (code === undefined || text !== pass.barcodeValue || key === undefined) return 'stale';
  const bytes = Buffer.from(key, 'hex');
  return times.some((at) => isTimely(bytes, code, at, rotating)) ? 'rotating' : 'stale';
}

/** Whether a scanned text names the pass that was found by it or by what stands in front of its one-time code. */
export function isMeant({ pass, definition }: Pick<DefinedPass, 'pass' | 'definition'>, { passName, barcode }: Naming) {
  const isWhole = passName !== undefined || barcode === pass.barcodeValue || barcode === pass.generatedId;
  return isWhole || Boolean(definition.barcode.rotating);
}
