/** Why the camera shows no picture. */
type CameraProblem = 'denied' | 'missing' | 'busy' | 'insecure';

/** `torch` is missing in the DOM types (W3C "MediaStream Image Capture"). */
interface TorchCapabilities extends MediaTrackCapabilities {
  torch?: boolean;
}

/** Enough for the bars of a PDF417 that fills half of the picture. More pixels only take longer to read. */
const PICTURE: MediaTrackConstraints & { resizeMode: string } = {
  width: { ideal: 1920 },
  height: { ideal: 1080 },
  // Otherwise, a browser may crop the picture to this size, and cut off long codes.
  resizeMode: 'none',
};

const PROBLEMS: Record<string, CameraProblem> = {
  NotAllowedError: 'denied',
  SecurityError: 'denied',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'busy',
  AbortError: 'busy',
};

/** The camera behind a `<video>` element. */
export class Camera {
  #video: HTMLVideoElement;
  #stream: MediaStream | undefined;
  /** Number of start and stop calls, so that an overtaken start releases its camera. */
  #turn = 0;

  constructor(video: HTMLVideoElement) {
    this.#video = video;
  }

  get isRunning(): boolean {
    return this.#stream !== undefined;
  }

  /** Starts the back camera, or the one with this identifier. Resolves to the problem if it fails. */
  async start(deviceId?: string): Promise<CameraProblem | undefined> {
    if (!navigator.mediaDevices) return 'insecure';
    this.stop();
    const turn = this.#turn;
    const which = deviceId ? { deviceId: { exact: deviceId } } : { facingMode: 'environment' };
    try {
      const stream = await navigator.mediaDevices.getUserMedia({
        audio: false,
        video: { ...which, ...PICTURE },
      });
      if (turn !== this.#turn) {
        release(stream);
        return undefined;
      }
      this.#stream = stream;
      this.#video.srcObject = stream;
      await this.#video.play();
      return undefined;
    } catch (error) {
      if (turn !== this.#turn) return undefined;
      this.stop();
      return PROBLEMS[error instanceof DOMException ? error.name : ''] ?? 'busy';
    }
  }

  stop(): void {
    this.#turn += 1;
    if (this.#stream) release(this.#stream);
    this.#stream = undefined;
    this.#video.srcObject = null;
  }

  /** Returns whether this camera has a light. */
  get hasTorch(): boolean {
    const track = this.#track;
    // Firefox has no getCapabilities.
    return (track?.getCapabilities?.() as TorchCapabilities | undefined)?.torch === true;
  }

  async setTorch(on: boolean): Promise<void> {
    await this.#track?.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] });
  }

  /** Returns the identifier of the next camera; undefined if there is only one. */
  async nextDevice(): Promise<string | undefined> {
    const devices = await navigator.mediaDevices.enumerateDevices();
    const cameras = devices.filter(({ kind }) => kind === 'videoinput').map(({ deviceId }) => deviceId);
    const at = cameras.indexOf(this.#track?.getSettings().deviceId ?? '');
    return cameras.length > 1 ? cameras[(at + 1) % cameras.length] : undefined;
  }

  get #track(): MediaStreamTrack | undefined {
    return this.#stream?.getVideoTracks()[0];
  }
}

function release(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
