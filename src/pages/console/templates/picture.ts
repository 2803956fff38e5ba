import type { Card } from '../../../domain/passes/card/card.ts';
import { BarcodeError, barcodeSvg } from '../../../platform/barcodes.ts';

/**
 * The code of a card as the address of a picture in the page itself; undefined when it has none, null when its
 * symbology cannot hold the value.
 */
export async function barcodePicture({ barcode }: Pick<Card, 'barcode'>): Promise<string | null | undefined> {
  if (!barcode?.value) return undefined;
  try {
    return `data:image/svg+xml,${encodeURIComponent(await barcodeSvg(barcode.format, barcode.value))}`;
  } catch (error) {
    if (error instanceof BarcodeError) return null;
    throw error;
  }
}

/** Address of a stored image. */
export const imageUrl = ({ sha256 }: { sha256: string }) => `/images/${sha256}`;
