import { controlOf, describe, putBelow, takeAway } from './faults.ts';

/** The lists on the page, with the controls that they describe. */
const shown = new Map<HTMLElement, HTMLElement>();

/** Shows lists of wallet findings at the controls that they name. Replaces all earlier ones. */
export function showFindings(html: string): void {
  for (const [list, control] of shown) takeAway(control, list);
  shown.clear();
  const holder = document.createElement('template');
  holder.innerHTML = html;
  for (const list of holder.content.querySelectorAll<HTMLElement>('[data-for]')) show(list, list.dataset.for!);
}

function show(list: HTMLElement, name: string): void {
  const control = controlOf(name) ?? firstWithin(name);
  if (!control) return;
  const [other] = [...shown].find(([, described]) => described === control) ?? [];
  if (other) {
    other.append(...list.children);
    return;
  }
  list.id = `${name}-findings`;
  putBelow(control, list);
  describe(control, list.id);
  shown.set(list, control);
}

/** Returns the first control of a list or group. An empty list has only its button to add an item. */
function firstWithin(name: string): HTMLElement | undefined {
  const within = CSS.escape(`${name}.`);
  const add = `[value="add:${CSS.escape(name)}"], [value^="add:${within}"]`;
  const control = `.designer [name^="${within}"]:not([type="hidden"])`;
  return (
    document.querySelector<HTMLElement>(control) ??
    document.querySelector<HTMLElement>(`.designer button:is(${add})`) ??
    undefined
  );
}
