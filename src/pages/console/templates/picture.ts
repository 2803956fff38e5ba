import type { Card } from '../../../domain/passes/card/card.ts';
import { BarcodeError, barcodeSvg } from '../../../platform/barcodes.ts';

/** Returns a card's code as a data URL; undefined without a code, null if the symbology can't encode the value. */
export async function barcodePicture({ barcode }: Pick<Card, 'barcode'>): Promise<string | null | undefined> {
  if (!barcode?.value) return undefined;
  try {
    return `data:image/svg+xml,${encodeURIComponent(await barcodeSvg(barcode.format, barcode.value))}`;
  } catch (error) {
    if (error instanceof BarcodeError) return null;
    throw error;
  }
}

/** Returns the address of a stored image. */
export const imageUrl = ({ sha256 }: { sha256: string }) => `/images/${sha256}`;
