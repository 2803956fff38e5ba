/** Returns the control with a name, or the nearest parent: an issue may be about one of its lines. */
export function controlOf(name: string): HTMLElement | undefined {
  for (let path = name; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
    const control = document.getElementById(path) ?? document.getElementsByName(path)[0];
    if (control) return control;
  }
  return undefined;
}

/**
 * Shows errors at their controls and their number at the tabs. Untouched controls don't show errors yet. `errors` has
 * the HTML of some faults.
 */
export function showFaults(
  faults: Record<string, string>,
  errors: Record<string, string>,
  touched: ReadonlySet<string>,
): void {
  for (const message of document.querySelectorAll('.designer .field-error')) {
    const name = message.id.replace(/-error$/, '');
    const control = document.getElementById(name) ?? document.getElementsByName(name)[0];
    control?.removeAttribute('aria-invalid');
    takeAway(control, message);
  }
  const counts: Record<string, number> = {};
  for (const [name, text] of Object.entries(faults)) {
    const control = controlOf(name);
    if (!control || !(touched.has(name) || touched.has(control.id) || name.startsWith('preview.'))) continue;
    showFault(control, text, errors[name]);
    const part = control.closest<HTMLElement>('.part')?.dataset.part;
    if (part) counts[part] = (counts[part] ?? 0) + 1;
  }
  for (const count of document.querySelectorAll<HTMLElement>('.tab-count')) {
    const number = counts[count.dataset.count!];
    count.textContent = number ? String(number) : '';
    if (!number) continue;
    const words = document.createElement('span');
    words.className = 'visually-hidden';
    words.textContent = ' to correct';
    count.append(words);
  }
}

function showFault(control: HTMLElement, text: string, html = ''): void {
  const message = document.createElement('p');
  message.className = 'field-error';
  message.id = `${control.id || control.getAttribute('name')}-error`;
  if (html) message.innerHTML = html;
  else message.textContent = text;
  putBelow(control, message);
  control.setAttribute('aria-invalid', 'true');
  describe(control, message.id);
}

/** Puts a message below a control. A checkbox is inside its label, which names it, so the message follows the label. */
function putBelow(control: HTMLElement, message: HTMLElement): void {
  const field = control.closest('.field');
  // Errors come first.
  if (field) field.insertBefore(message, field.querySelector(':scope > .findings'));
  else (control.closest('.choice') ?? control).after(message);
}

/** Adds a message to the description of a control that assistive technology reads. */
function describe(control: HTMLElement, id: string): void {
  control.setAttribute('aria-describedby', `${control.getAttribute('aria-describedby') ?? ''} ${id}`.trim());
}

/** Removes a message from the description of its control, and from the page. */
function takeAway(control: HTMLElement | undefined, message: Element): void {
  message.remove();
  const described = (control?.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== message.id);
  if (described.join('')) control?.setAttribute('aria-describedby', described.join(' '));
  else control?.removeAttribute('aria-describedby');
}

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
