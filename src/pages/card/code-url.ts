import type { Card } from '../../domain/passes/card/card.ts';
import { codeAt } from '../../domain/passes/page/rotating-key.ts';
import { canHold } from '../../platform/barcodes.ts';

/**
 * Returns `url`, the address of a card's code, for `DrawOptions`; undefined without a code to show, null if the
 * symbology can't encode the value.
 */
export async function codeUrl({ barcode }: Pick<Card, 'barcode'>, url: string): Promise<string | null | undefined> {
  const value = barcode && codeAt(barcode, Date.now());
  if (!value) return undefined;
  return (await canHold(barcode!.format, value)) ? url : null;
}
