import type { Scanner } from '../../protocol.ts';
import { boot, word } from '../page/boot.ts';
import { element } from '../page/elements.ts';

const MINUTE_SECONDS = 60;

const input = element<HTMLInputElement>('pin');
const fault = element('pin-fault');

/** Shows the PIN form, or the app. */
export function showLocked(isLocked: boolean): void {
  element('locked').hidden = !isLocked;
  element('scanning').hidden = isLocked;
  if (isLocked) input.focus();
}

/** Calls `onOpen` with the link's content after the correct PIN. */
export function prepareLock(onOpen: (scanner: Scanner) => void): void {
  element('pin-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    fault.textContent = '';
    const answer = await unlock(input.value);
    if (typeof answer === 'string') {
      fault.textContent = answer;
      input.select();
      return;
    }
    input.value = '';
    onOpen(answer);
  });
}

/** Returns the link's content, or an error text. */
async function unlock(pin: string): Promise<Scanner | string> {
  try {
    const response = await fetch(`${boot.base}/unlock`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ pin }),
    });
    if (response.ok) return (await response.json()) as Scanner;
    if (response.status !== 429) return word('pinWrong');
    const minutes = Math.ceil(Number(response.headers.get('Retry-After') ?? MINUTE_SECONDS) / MINUTE_SECONDS);
    return word('pinTooMany', { minutes });
  } catch {
    return word('pinOffline');
  }
}
