import { FIRST_LOOK } from '../../templates/designer/protocol.ts';

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
