/* Summarizes below the form of a new key what the key can do. Without this script, only the next page shows it. */
import type { Scopes } from '../../../domain/api-keys/scopes.ts';
import { summaryOf } from '../api-keys/key-summary.ts';

const box = document.querySelector<HTMLElement>('#key-summary');
const form = box?.closest('form');

/** Returns the summary of the form so far; undefined while no scope is selected. */
function sentence(form: HTMLFormElement): { name: string; rest: string } | undefined {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const scopes = data.getAll('scopes').map(String) as Scopes;
  if (scopes.length === 0) return undefined;
  const selected = form.querySelectorAll<HTMLElement>('label:has([name="templateIds"]:checked)');
  const templates = [...selected].map((label) => label.innerText.trim());
  const addresses = text('allowedIps').split(/\s+/).filter(Boolean);
  const orNull = (names: string[]) => (names.length > 0 ? names : null);
  const summary = summaryOf({ scopes, templates: orNull(templates), addresses: orNull(addresses) });
  const lastDay = text('lastDay');
  const until =
    lastDay &&
    `, until the end of ${new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(lastDay))}`;
  return { name: text('name') || 'The key', rest: ` ${summary}${until}.` };
}

function show(box: HTMLElement, form: HTMLFormElement): void {
  const said = sentence(form);
  box.hidden = !said;
  if (!said) return;
  const name = document.createElement('strong');
  name.textContent = said.name;
  box.replaceChildren(name, said.rest);
}

if (box && form) {
  form.addEventListener('input', () => show(box, form));
  show(box, form);
}
