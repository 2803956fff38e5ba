/* Parts of the designer's form, which the server redraws when they depend on other parts. */

/** Controls with a typed or chosen value. */
const TYPED = ':is(textarea, select, input:not([type="checkbox"], [type="file"], [type="hidden"])):is([id][name])';

/**
 * Replaces the controls of a part. Open items, the focus, the selection and everything typed since the form was `sent`
 * stay.
 */
export function putPart({ name, html }: { name: string; html: string }, sent?: URLSearchParams): void {
  const before = document.querySelector(`#part-${name}`)!;
  const putFocus = before.contains(document.activeElement) ? keptFocus(document.activeElement!) : undefined;
  const typed = sent
    ? [...before.querySelectorAll<HTMLInputElement>(TYPED)].filter((one) => one.value !== sent.get(one.name))
    : [];
  const open = [...before.querySelectorAll('[data-uid]:has(> details[open])')].map(
    (item) => (item as HTMLElement).dataset.uid,
  );
  before.outerHTML = html;
  const after = document.querySelector(`#part-${name}`)!;
  for (const item of after.querySelectorAll<HTMLElement>('[data-uid]')) {
    const details = item.querySelector<HTMLDetailsElement>(':scope > details');
    if (details && open.includes(item.dataset.uid)) details.open = true;
  }
  for (const { id, value } of typed) {
    const control = document.getElementById(id) as HTMLInputElement | null;
    if (control) control.value = value;
  }
  putFocus?.();
}

/** Remembers the focused control and its selection. The returned function restores both on its replacement. */
function keptFocus(focused: Element): () => void {
  const { id } = focused;
  // Null for controls without a caret, such as numbers and dates.
  const { selectionStart, selectionEnd, selectionDirection } = focused as Partial<HTMLInputElement>;
  return () => {
    const control = id ? (document.getElementById(id) as HTMLInputElement | null) : null;
    control?.focus();
    if (typeof selectionStart !== 'number' || typeof control?.selectionStart !== 'number') return;
    control.setSelectionRange(selectionStart, selectionEnd ?? selectionStart, selectionDirection ?? undefined);
  };
}
