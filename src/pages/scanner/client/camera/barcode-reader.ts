import { scriptUrl } from '../page/script-url.ts';
import type { DecoderReply, DecoderRequest } from './decoder-messages.ts';
import { Sightings } from './sightings.ts';

/** A code that has come into view of the camera. */
export interface Sighting {
  value: string;
  /** When the frame that shows it was there, on the clock of `performance.now()`. */
  frameAt: number;
}

/** A longer side is made smaller: more pixels take longer, and tell no more. */
const SIDE_PIXELS_MAX = 1920;
/** Share of what is visible that lies inside of the drawn frame, and a little around it. */
const AIM_SHARE = 0.75;

/** Reads codes out of the running video, one frame at a time: while one is being read, others pass by. */
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
   * A code that comes into view while `isWelcome` says no is taken when it says yes. `onFailure` is told when codes
   * cannot be read on this device at all.
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
    const now = performance.now();
    if (!this.#isWelcome()) this.#sightings.overlook(value, now);
    else if (this.#sightings.isNew(value, now)) this.#onSighting({ value, frameAt: this.#frameAt });
  }

  #next(): void {
    if (!this.#isReady || !this.#isWanted || this.#isBusy) return;
    this.#isBusy = true;
    // Nobody waits for a code that is not welcome; the answer to the last one needs the processor more.
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
        // The camera has stopped between the frame and the look at it.
        this.#isBusy = false;
        setTimeout(() => this.#next(), FRAME_RETRY_MILLIS);
      }
    });
  }

  #onFrame(look: (now: number) => void): void {
    if ('requestVideoFrameCallback' in this.#video) this.#video.requestVideoFrameCallback(look);
    // Firefox before 132.
    else requestAnimationFrame(look);
  }

  /**
   * A part of what the person sees of the video, which covers its box, so that its sides or its top and bottom are cut
   * off. In turn that is the square in the middle, where a code is read fast and before its neighbors, and all of it,
   * for long codes and for those beside the frame.
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
