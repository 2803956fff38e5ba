import { FIRST_LOOK } from '../../templates/designer/protocol.ts';

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

/** Adds a color picker beside each color field. */
export function addSwatches(form: HTMLFormElement): void {
  for (const text of form.querySelectorAll<HTMLInputElement>('[data-color]')) {
    if (text.parentElement!.classList.contains('with-swatch')) continue;
    const swatch = document.createElement('input');
    swatch.type = 'color';
    swatch.value = /^#[0-9a-f]{6}$/i.test(text.value) ? text.value : '#ffffff';
    swatch.ariaLabel = `${form.querySelector(`label[for="${text.id}"]`)?.textContent}: choose a color`;
    swatch.addEventListener('input', () => {
      text.value = swatch.value;
    });
    text.addEventListener('input', () => {
      if (/^#[0-9a-f]{6}$/i.test(text.value)) swatch.value = text.value;
    });
    const both = document.createElement('div');
    both.className = 'with-swatch';
    text.replaceWith(both);
    both.append(swatch, text);
  }
}

/* The controls of the preview. They belong to the designer's form, but are placed beside it. */

/** Writes the choices into the page's address, so that they survive a reload. */
export function rememberLook(form: HTMLFormElement): void {
  const chosen = new FormData(form);
  const address = new URL(location.href);
  for (const [name, first] of Object.entries(FIRST_LOOK)) {
    const value = String(chosen.get(`preview.${name}`) ?? first);
    if (value === first) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  history.replaceState(history.state, '', address);
}

let drawn = '';

/** Replaces the controls when the available choices have changed. The current choices and the focus stay. */
export function putChoices(form: HTMLFormElement, html: string): void {
  const plain = html.replaceAll(/ (checked|selected)=""/g, '');
  if (plain === drawn) return;
  drawn = plain;
  const before = document.querySelector('#preview-choices')!;
  const chosen = new FormData(form);
  const focused = before.contains(document.activeElement) ? (document.activeElement as HTMLInputElement) : undefined;
  before.outerHTML = html;
  const controls = document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('#preview-choices [name]');
  for (const control of controls) {
    const value = chosen.get(control.name);
    if (control instanceof HTMLSelectElement) {
      if ([...control.options].some((option) => option.value === value)) control.value = String(value);
    } else if (control.value === value) control.checked = true;
    const isRadio = control instanceof HTMLInputElement;
    if (focused?.name === control.name && (!isRadio || focused.value === control.value)) control.focus();
  }
}
