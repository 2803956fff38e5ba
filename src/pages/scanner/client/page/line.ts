import { word } from './boot.ts';
import { element } from './elements.ts';

/** Delay between attempts while offline: doubles from the minimum to the maximum. */
const RETRY_MILLIS_MIN = 1_000;
const RETRY_MILLIS_MAX = 60_000;
/** Spreads the attempts of devices that went offline together. */
const JITTER = 0.2;

/** Whether the service can be reached, as shown to the person, and when to try again. */
export class Line {
  #isUp = navigator.onLine;
  #wait = RETRY_MILLIS_MIN;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #onTry: () => void;

  /** `onTry` runs when it is time to try again. */
  constructor(onTry: () => void) {
    this.#onTry = onTry;
    window.addEventListener('online', () => this.tryNow());
    window.addEventListener('offline', () => this.report(false));
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && !this.#isUp) this.tryNow();
    });
    this.#show();
  }

  /** Reports whether the last request reached the service. */
  report(isUp: boolean): void {
    this.#isUp = isUp;
    clearTimeout(this.#timer);
    if (isUp) this.#wait = RETRY_MILLIS_MIN;
    else {
      const jitter = 1 - JITTER + 2 * JITTER * Math.random();
      this.#timer = setTimeout(this.#onTry, this.#wait * jitter);
      this.#wait = Math.min(2 * this.#wait, RETRY_MILLIS_MAX);
    }
    this.#show();
  }

  tryNow(): void {
    this.#wait = RETRY_MILLIS_MIN;
    clearTimeout(this.#timer);
    this.#onTry();
  }

  #show(): void {
    const text = word(this.#isUp ? 'online' : 'offline');
    element('line').dataset.line = this.#isUp ? 'online' : 'offline';
    // Setting the same text again would make screen readers repeat it.
    if (element('line-text').textContent !== text) element('line-text').textContent = text;
  }
}
