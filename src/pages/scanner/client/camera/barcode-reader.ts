import { scriptUrl } from '../page/script-url.ts';
import type { DecoderReply, DecoderRequest } from './decoder-messages.ts';
import { Sightings } from './sightings.ts';

/** A code that has come into the camera's view. */
export interface Sighting {
  value: string;
  /** Time of the frame with the code, on the clock of `performance.now()`. */
  frameAt: number;
}

/** Maximum side length of a frame. Larger frames take longer to read and give no better results. */
const SIDE_PIXELS_MAX = 1920;
/** Share of the visible part that is read when aiming: the drawn frame and a small margin. */
const AIM_SHARE = 0.75;

/** Reads codes from the running video. While one frame is being read, the following ones are skipped. */
export class BarcodeReader {
  #video: HTMLVideoElement;
  #worker: Worker;
  #onSighting: (sighting: Sighting) => void;
  #isWelcome: () => boolean;
  #sightings = new Sightings();
  #isReady = false;
  #isWanted = false;
  #isBusy = false;
  #isAiming = false;
  #frameAt = 0;

  /**
   * A code that comes into view while `isWelcome` returns false is taken once it returns true. Calls `onFailure` if
   * this device can't read codes at all.
   */
  constructor(
    video: HTMLVideoElement,
    decoderPath: string,
    onSighting: (sighting: Sighting) => void,
    isWelcome: () => boolean,
    onFailure: (reason: string) => void,
  ) {
    this.#video = video;
    this.#onSighting = onSighting;
    this.#isWelcome = isWelcome;
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

  /** Starts reading. */
  resume(): void {
    this.#isWanted = true;
    this.#next();
  }

  /** Stops reading, and drops the frame in progress. */
  pause(): void {
    this.#isWanted = false;
  }

  #take(value: string | undefined): void {
    if (value === undefined || !this.#isWanted) return;
    const now = performance.now();
    if (!this.#isWelcome()) this.#sightings.overlook(value, now);
    else if (this.#sightings.isNew(value, now)) this.#onSighting({ value, frameAt: this.#frameAt });
  }

  #next(): void {
    if (!this.#isReady || !this.#isWanted || this.#isBusy) return;
    this.#isBusy = true;
    // While no code is wanted, frames are read less often, because the answer to the last code needs the processor.
    if (this.#isWelcome()) this.#look();
    else setTimeout(() => this.#look(), UNWELCOME_MILLIS);
  }

  #look(): void {
    this.#onFrame(async (now) => {
      try {
        this.#frameAt = now;
        const frame = await this.#visiblePart();
        this.#worker.postMessage({ frame } satisfies DecoderRequest, [frame]);
      } catch {
        // The camera was stopped before the frame was captured.
        this.#isBusy = false;
        setTimeout(() => this.#next(), FRAME_RETRY_MILLIS);
      }
    });
  }

  #onFrame(look: (now: number) => void): void {
    if ('requestVideoFrameCallback' in this.#video) this.#video.requestVideoFrameCallback(look);
    // For Firefox before 132.
    else requestAnimationFrame(look);
  }

  /**
   * Captures a part of the visible video, which fills its box, so its edges may be cut off. The parts alternate: the
   * center square, where codes are read fast and before their neighbors, and everything, for long codes and those
   * outside the frame.
   */
  #visiblePart(): Promise<ImageBitmap> {
    const { videoWidth, videoHeight, clientWidth, clientHeight } = this.#video;
    const scale = Math.max(clientWidth / videoWidth, clientHeight / videoHeight);
    this.#isAiming = !this.#isAiming;
    const aim = AIM_SHARE * Math.min(clientWidth, clientHeight);
    const width = Math.min(videoWidth, Math.round((this.#isAiming ? aim : clientWidth) / scale));
    const height = Math.min(videoHeight, Math.round((this.#isAiming ? aim : clientHeight) / scale));
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
const UNWELCOME_MILLIS = 200;
