import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader';
import wasmPath from 'zxing-wasm/reader/zxing_reader.wasm';
import type { DecoderReply, DecoderRequest } from './camera/decoder-messages.ts';

/*
 * The Web Worker that reads barcodes from camera frames, so that the page stays responsive. It takes one frame at a
 * time: the sender waits for the reply.
 */

/** The four symbologies of wallets, in any direction, also inverted. */
const OPTIONS: ReaderOptions = {
  formats: ['QRCode', 'PDF417', 'Aztec', 'Code128'],
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
    reply({ kind: 'read', value: found?.text || undefined });
  } catch (error) {
    reply({ kind: 'failed', reason: String(error) });
  } finally {
    data.frame.close();
  }
});

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
