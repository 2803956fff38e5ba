import type { Card } from '../../domain/passes/card/card.ts';
import { canHold } from '../../platform/barcodes.ts';

/**
 * `url`, the address of a card's code, for `DrawOptions`: undefined without a value, null when its symbology cannot
 * hold the value.
 */
export async function codeUrl({ barcode }: Pick<Card, 'barcode'>, url: string): Promise<string | null | undefined> {
  if (!barcode?.value) return undefined;
  return (await canHold(barcode.format, barcode.value)) ? url : null;
}
