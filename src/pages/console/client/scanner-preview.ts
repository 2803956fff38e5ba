import { parseHex, readable, strongestOn, toHex, WHITE } from '../../colors.ts';

/* Updates the scanner preview while the form is filled in. */

const BACKGROUND_DEFAULT = '#17181c';
const form = document.querySelector('form.form-panels');
const preview = document.querySelector('.scanner-preview');

function redraw(): void {
  if (!(form instanceof HTMLFormElement) || !preview) return;
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? '');
  const own = data.has('ownColors');
  const background = parseHex(own ? text('backgroundColor') : BACKGROUND_DEFAULT) ?? WHITE;
  const wanted = own ? parseHex(text('textColor')) : undefined;
  const color = toHex(readable(wanted ?? strongestOn(background), background));
  preview.querySelector('.scanner-background')?.setAttribute('fill', toHex(background));
  for (const attribute of ['fill', 'stroke']) preview.querySelector('.scanner-text')?.setAttribute(attribute, color);
  const title = preview.querySelector('.scanner-title');
  const place = preview.querySelector('.scanner-place');
  if (title) title.textContent = text('name').slice(0, 20) || 'Main entrance';
  if (place) place.textContent = text('place').slice(0, 20);
}

form?.addEventListener('input', (event) => {
  const box = form.querySelector<HTMLInputElement>('input[name="ownColors"]');
  if (box && event.target instanceof HTMLInputElement && event.target.type === 'color') box.checked = true;
  redraw();
});
