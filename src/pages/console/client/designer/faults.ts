/** Returns the control with a name, or the nearest parent: an issue may be about one of its lines. */
export function controlOf(name: string): HTMLElement | undefined {
  for (let path = name; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
    const control = document.getElementById(path) ?? document.getElementsByName(path)[0];
    if (control) return control;
  }
  return undefined;
}

/** Shows errors at their controls and their number at the tabs. Untouched controls don't show errors yet. */
export function showFaults(faults: Record<string, string>, touched: ReadonlySet<string>): void {
  for (const message of document.querySelectorAll('.designer .field-error')) {
    const control = document.getElementById(message.id.replace(/-error$/, ''));
    control?.removeAttribute('aria-invalid');
    const described = (control?.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== message.id);
    if (described.join('')) control?.setAttribute('aria-describedby', described.join(' '));
    else control?.removeAttribute('aria-describedby');
    message.remove();
  }
  const counts: Record<string, number> = {};
  for (const [name, text] of Object.entries(faults)) {
    const control = controlOf(name);
    if (!control || !(touched.has(name) || touched.has(control.id) || name.startsWith('preview.'))) continue;
    showFault(control, text);
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

/** Shows wallet findings at their controls. A note about a list is shown at its first control. */
export function showNotes(notes: Record<string, string>): void {
  for (const note of document.querySelectorAll('.designer .field-note')) note.remove();
  for (const [name, text] of Object.entries(notes)) {
    const inside = document.querySelector<HTMLElement>(
      `.designer [name^="${CSS.escape(`${name}.`)}"]:not([type=hidden])`,
    );
    const control = controlOf(name) ?? inside;
    if (!control) continue;
    const note = document.createElement('p');
    note.className = 'field-note';
    note.textContent = text;
    (control.closest('.field') ?? control).append(note);
  }
}

function showFault(control: HTMLElement, text: string): void {
  const message = document.createElement('p');
  message.className = 'field-error';
  message.id = `${control.id}-error`;
  message.textContent = text;
  (control.closest('.field') ?? control).append(message);
  control.setAttribute('aria-invalid', 'true');
  control.setAttribute('aria-describedby', `${control.getAttribute('aria-describedby') ?? ''} ${message.id}`.trim());
}
