import { element } from '../page/elements.ts';
import type { Verdict } from './verdict.ts';

const dialog = element<HTMLDialogElement>('result');

/**
 * A result stands at least so long before a touch or the next code takes it away: nobody aims a phone and reads at the
 * same time.
 */
const SHOWN_MILLIS_MIN = 700;

let timer: ReturnType<typeof setTimeout> | undefined;
let shownAt = Number.NEGATIVE_INFINITY;

dialog.addEventListener('click', () => {
  if (!isFresh()) closeResult();
});

/** Whether the person may not have seen the standing result yet. */
export function isFresh(): boolean {
  return dialog.open && performance.now() - shownAt < SHOWN_MILLIS_MIN;
}

/** Resolves when the person has had the time to see the standing result. */
export function whenSeen(): Promise<void> {
  const left = isFresh() ? SHOWN_MILLIS_MIN - (performance.now() - shownAt) : 0;
  return new Promise((resolve) => setTimeout(resolve, left));
}

/** Fills the screen with a result; it goes by itself after `seconds`, with 0 only when it is touched. */
export function showResult(verdict: Verdict, seconds: number): void {
  clearTimeout(timer);
  dialog.dataset.tone = verdict.tone;
  element('result-icon').setAttribute('href', `#icon-${verdict.tone}`);
  element('result-word').textContent = verdict.word;
  element('result-name').textContent = verdict.holder || verdict.pass;
  element('result-pass').textContent = verdict.holder ? verdict.pass : '';
  element('result-text').textContent = verdict.text;
  element('result-value').textContent = verdict.value;
  element('result-new').hidden = verdict.newValue === '';
  element('result-new-value').textContent = verdict.newValue;
  restartTimer(seconds);
  shownAt = performance.now();
  if (!dialog.open) dialog.showModal();
}

export function closeResult(): void {
  clearTimeout(timer);
  if (dialog.open) dialog.close();
}

function restartTimer(seconds: number): void {
  delete dialog.dataset.timed;
  if (seconds === 0) return;
  dialog.style.setProperty('--shown-for', `${seconds}s`);
  // The bar starts anew only if the browser has seen it without its animation.
  void dialog.offsetWidth;
  dialog.dataset.timed = '';
  timer = setTimeout(closeResult, seconds * 1_000);
}
