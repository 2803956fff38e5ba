/** Barcode symbologies, by the names that callers use. */
export const BARCODE_FORMATS = ['qr', 'pdf417', 'aztec', 'code128', 'ean13', 'code39', 'codabar', 'itf'] as const;
export type BarcodeFormat = (typeof BARCODE_FORMATS)[number];
