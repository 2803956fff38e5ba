/** Result of a scan, for display, sound and vibration. */
export type Tone = 'good' | 'warning' | 'bad' | 'open';

/** Hertz and seconds of each note: rising for good, level for a warning, falling for bad. */
const NOTES: Record<Tone, [hertz: number, seconds: number][]> = {
  good: [
    [880, 0.09],
    [1318, 0.16],
  ],
  warning: [
    [587, 0.14],
    [0, 0.05],
    [587, 0.14],
  ],
  bad: [
    [311, 0.2],
    [207, 0.34],
  ],
  open: [[740, 0.12]],
};

/** Milliseconds on, off, on. */
const VIBRATIONS: Record<Tone, number[]> = {
  good: [70],
  warning: [90, 70, 90],
  bad: [420],
  open: [40],
};

const VOLUME = 0.5;
const FADE_SECONDS = 0.012;

let audio: AudioContext | undefined;

/** Enables sound. Browsers require that this runs in the handler of a touch. */
export function unlockSound(): void {
  audio ??= new AudioContext({ latencyHint: 'interactive' });
  if (audio.state === 'suspended') void audio.resume();
}

export function playTone(tone: Tone): void {
  if (audio?.state !== 'running') return;
  let at = audio.currentTime;
  for (const [hertz, seconds] of NOTES[tone]) {
    if (hertz > 0) playNote(audio, hertz, at, seconds, tone === 'bad' ? 'square' : 'triangle');
    at += seconds;
  }
}

/** Notes fade in and out, because an abrupt end clicks. */
function playNote(context: AudioContext, hertz: number, at: number, seconds: number, type: OscillatorType): void {
  const oscillator = new OscillatorNode(context, { type, frequency: hertz });
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(VOLUME, at + FADE_SECONDS);
  gain.gain.setValueAtTime(VOLUME, at + seconds - FADE_SECONDS);
  gain.gain.linearRampToValueAtTime(0, at + seconds);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + seconds);
}

export function vibrate(tone: Tone): void {
  // Before the first touch, browsers reject the call and log a warning.
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(VIBRATIONS[tone]);
}
