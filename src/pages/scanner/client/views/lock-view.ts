import { type Scanner, SUSPENDED_STATUS } from '../../protocol.ts';
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

/** Texts by status of a reply that doesn't open the link. */
const FAULTS: Record<number, 'pinWrong' | 'goneText' | 'suspendedTitle'> = {
  403: 'pinWrong',
  404: 'goneText',
  [SUSPENDED_STATUS]: 'suspendedTitle',
};

/** Returns the link's content, or an error text. */
async function unlock(pin: string): Promise<Scanner | string> {
  try {
    const response = await fetch(`${boot.base}/unlock`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ pin }),
    });
    if (response.ok) return (await response.json()) as Scanner;
    const fault = FAULTS[response.status];
    if (fault) return word(fault);
    if (response.status !== 429) return word('errorText');
    const minutes = Math.ceil(Number(response.headers.get('Retry-After') ?? MINUTE_SECONDS) / MINUTE_SECONDS);
    return word('pinTooMany', { minutes });
  } catch {
    return word('pinOffline');
  }
}
