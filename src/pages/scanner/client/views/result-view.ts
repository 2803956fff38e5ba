import { element } from '../page/elements.ts';
import type { Verdict } from './verdict.ts';

const dialog = element<HTMLDialogElement>('result');

/**
 * Minimum time that a result stays before a tap or the next code replaces it. Nobody can aim a phone and read at the
 * same time.
 */
const SHOWN_MILLIS_MIN = 700;

let timer: ReturnType<typeof setTimeout> | undefined;
let shownAt = Number.NEGATIVE_INFINITY;

dialog.addEventListener('click', () => {
  if (!isFresh()) closeResult();
});

/** Returns whether the person may not have seen the current result yet. */
export const isFresh = (): boolean => dialog.open && performance.now() - shownAt < SHOWN_MILLIS_MIN;

/** Resolves when the person has had time to see the current result. */
export function whenSeen(): Promise<void> {
  const left = isFresh() ? SHOWN_MILLIS_MIN - (performance.now() - shownAt) : 0;
  return new Promise((resolve) => setTimeout(resolve, left));
}

/** Fills the screen with a result. It disappears after `seconds`, or with 0 only by a tap. */
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

function closeResult(): void {
  clearTimeout(timer);
  if (dialog.open) dialog.close();
}

function restartTimer(seconds: number): void {
  delete dialog.dataset.timed;
  if (seconds === 0) return;
  dialog.style.setProperty('--shown-for', `${seconds}s`);
  // Forces a layout, so that the bar's animation restarts.
  void dialog.offsetWidth;
  dialog.dataset.timed = '';
  timer = setTimeout(closeResult, seconds * 1_000);
}
