import type { ReaderOptions } from 'zxing-wasm/reader';

/** A picture with one upright dark barcode: a reader that looks for no others and turns nothing takes a fifth of the time. */
export const ONE_UPRIGHT: ReaderOptions = {
  maxNumberOfSymbols: 1,
  tryRotate: false,
  tryInvert: false,
  tryDownscale: false,
  textMode: 'Plain',
};
