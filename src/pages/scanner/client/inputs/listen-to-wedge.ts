import { KeyboardWedge } from './keyboard-wedge.ts';

/** Calls `onCode` with each code from a reader while no form field has the focus. */
export function listenToWedge(onCode: (value: string) => void): void {
  const wedge = new KeyboardWedge();
  const listen = (event: KeyboardEvent) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || isField(event.target)) return;
    const stroke = wedge.take(event.key, event.timeStamp);
    if (stroke.kind === 'typing') return;
    // Space or Enter would press a focused button.
    event.preventDefault();
    event.stopImmediatePropagation();
    if (stroke.kind === 'code') onCode(stroke.value);
  };
  document.addEventListener('keydown', listen, { capture: true });
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input:not([type="checkbox"]), textarea, select');
}
