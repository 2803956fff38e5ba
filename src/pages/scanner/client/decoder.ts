import { prepareZXingModule, type ReaderOptions, type ReadResult, readBarcodes } from 'zxing-wasm/reader';
import wasmPath from 'zxing-wasm/reader/zxing_reader.wasm';
import type { DecoderReply, DecoderRequest } from './camera/decoder-messages.ts';

/*
 * The Web Worker that reads barcodes from camera frames, so that the page stays responsive. It takes one frame at a
 * time: the sender waits for the reply.
 */

/** The symbologies of wallets, in any direction, also inverted. */
const OPTIONS: ReaderOptions = {
  formats: ['QRCode', 'PDF417', 'Aztec', 'Code128', 'EAN13', 'Code39', 'Codabar', 'ITF'],
  tryHarder: true,
  tryRotate: true,
  tryInvert: true,
  tryDownscale: true,
  // To find a second symbol, the decoder would search the whole picture.
  maxNumberOfSymbols: 1,
  textMode: 'Plain',
};

// The DOM types, which the app needs, declare `self` as a window.
const scope = self as unknown as DedicatedWorkerGlobalScope;
let canvas: OffscreenCanvas | undefined;

const ready = prepareZXingModule({
  overrides: { locateFile: () => new URL(wasmPath, location.origin).href },
  fireImmediately: true,
});
ready.then(
  () => reply({ kind: 'ready' }),
  (error: unknown) => reply({ kind: 'failed', reason: String(error) }),
);

scope.addEventListener('message', async ({ data }: MessageEvent<DecoderRequest>) => {
  try {
    const [found] = await readBarcodes(pixelsOf(data.frame), OPTIONS);
    reply({ kind: 'read', value: found && readValue(found) });
  } catch (error) {
    reply({ kind: 'failed', reason: String(error) });
  } finally {
    data.frame.close();
  }
});

/** Returns the value of a barcode. A Codabar code without letters of its own is drawn between two A. */
function readValue({ format, text }: ReadResult): string | undefined {
  return (format === 'Codabar' ? text.replace(/^A(.*)A$/, '$1') : text) || undefined;
}

function reply(message: DecoderReply): void {
  scope.postMessage(message);
}

function pixelsOf(frame: ImageBitmap): ImageData {
  const { width, height } = frame;
  canvas ??= new OffscreenCanvas(width, height);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.drawImage(frame, 0, 0);
  return context.getImageData(0, 0, width, height);
}
