import type { ReaderOptions } from 'zxing-wasm/reader';

/** For a picture with one upright dark barcode: to look for no others and turn nothing takes a fifth of the time. */
export const ONE_UPRIGHT: ReaderOptions = {
  maxNumberOfSymbols: 1,
  tryRotate: false,
  tryInvert: false,
  tryDownscale: false,
  textMode: 'Plain',
};
