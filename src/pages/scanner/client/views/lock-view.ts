import type { Scanner } from '../../protocol.ts';
import { boot, word } from '../page/boot.ts';
import { element } from '../page/elements.ts';

const input = element<HTMLInputElement>('pin');
const fault = element('pin-fault');

/** Shows the form for the PIN, or the app behind it. */
export function showLocked(isLocked: boolean): void {
  element('locked').hidden = !isLocked;
  element('scanning').hidden = isLocked;
  if (isLocked) input.focus();
}

/** Calls `onOpen` with what the link opens when the person has entered the right PIN. */
export function prepareLock(onOpen: (scanner: Scanner) => void): void {
  element('pin-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    fault.textContent = '';
    const answer = await unlock(input.value);
    if (typeof answer === 'string') {
      fault.textContent = word(answer);
      input.select();
      return;
    }
    input.value = '';
    onOpen(answer);
  });
}

/** What the link opens; otherwise the word that says why it does not. */
async function unlock(pin: string): Promise<Scanner | 'pinWrong' | 'pinTooMany' | 'pinOffline'> {
  try {
    const response = await fetch(`${boot.base}/unlock`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ pin }),
    });
    if (response.ok) return (await response.json()) as Scanner;
    return response.status === 429 ? 'pinTooMany' : 'pinWrong';
  } catch {
    return 'pinOffline';
  }
}
