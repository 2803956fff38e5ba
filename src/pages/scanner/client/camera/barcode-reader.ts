import { scriptUrl } from '../page/script-url.ts';
import type { DecoderReply, DecoderRequest } from './decoder-messages.ts';
import { Sightings } from './sightings.ts';

/** A code that has come into view of the camera. */
export interface Sighting {
  value: string;
  /** When the frame that shows it was there, on the clock of `performance.now()`. */
  frameAt: number;
}

/** Pixels of a side that are read at most; a code on a phone fills enough of them. */
const SIDE_PIXELS_MAX = 1280;

/** Reads codes out of the running video, one frame at a time: while one is being read, others pass by. */
export class BarcodeReader {
  #video: HTMLVideoElement;
  #worker: Worker;
  #onSighting: (sighting: Sighting) => void;
  #sightings = new Sightings();
  #isReady = false;
  #isWanted = false;
  #isBusy = false;
  #frameAt = 0;

  /** `onFailure` is told when codes cannot be read on this device at all. */
  constructor(
    video: HTMLVideoElement,
    decoderPath: string,
    onSighting: (sighting: Sighting) => void,
    onFailure: (reason: string) => void,
  ) {
    this.#video = video;
    this.#onSighting = onSighting;
    this.#worker = new Worker(scriptUrl(decoderPath), { type: 'module', name: 'decoder' });
    this.#worker.addEventListener('message', ({ data }: MessageEvent<DecoderReply>) => {
      if (data.kind === 'failed' && !this.#isReady) onFailure(data.reason);
      this.#isReady = true;
      this.#isBusy = false;
      if (data.kind === 'read') this.#take(data.value);
      this.#next();
    });
    this.#worker.addEventListener('error', (event) => onFailure(event.message ?? 'the decoder did not load'));
  }

  /** Reads from now on. */
  resume(): void {
    this.#isWanted = true;
    this.#next();
  }

  /** Reads no more; what is being read is dropped. */
  pause(): void {
    this.#isWanted = false;
  }

  #take(value: string | undefined): void {
    if (value === undefined || !this.#isWanted) return;
    if (this.#sightings.isNew(value, performance.now())) this.#onSighting({ value, frameAt: this.#frameAt });
  }

  #next(): void {
    if (!this.#isReady || !this.#isWanted || this.#isBusy) return;
    this.#isBusy = true;
    this.#video.requestVideoFrameCallback(async (now) => {
      try {
        this.#frameAt = now;
        const frame = await this.#visiblePart();
        this.#worker.postMessage({ frame } satisfies DecoderRequest, [frame]);
      } catch {
        // The camera has stopped between the frame and the look at it.
        this.#isBusy = false;
        setTimeout(() => this.#next(), FRAME_RETRY_MILLIS);
      }
    });
  }

  /** What the person sees of the video: it covers its box, so its sides or its top and bottom are cut off. */
  #visiblePart(): Promise<ImageBitmap> {
    const { videoWidth, videoHeight, clientWidth, clientHeight } = this.#video;
    const scale = Math.max(clientWidth / videoWidth, clientHeight / videoHeight);
    const width = Math.min(videoWidth, Math.round(clientWidth / scale));
    const height = Math.min(videoHeight, Math.round(clientHeight / scale));
    const x = Math.round((videoWidth - width) / 2);
    const y = Math.round((videoHeight - height) / 2);
    const shrink = Math.min(1, SIDE_PIXELS_MAX / Math.max(width, height));
    return createImageBitmap(this.#video, x, y, width, height, {
      resizeWidth: Math.round(width * shrink),
      resizeHeight: Math.round(height * shrink),
    });
  }
}

const FRAME_RETRY_MILLIS = 100;
