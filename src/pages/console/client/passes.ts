/* Enhances the passes section. Each page also works without this script. */

/** Buttons that copy an element's text or a link's address. */
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copies]')) {
  button.hidden = false;
  const title = button.textContent;
  button.addEventListener('click', async () => {
    const source = document.querySelector(button.dataset.copies ?? '');
    if (!source) return;
    await navigator.clipboard.writeText(source instanceof HTMLAnchorElement ? source.href : (source.textContent ?? ''));
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = title;
    }, 2_000);
  });
}

/** The checkbox above a list that selects all rows. */
for (const box of document.querySelectorAll<HTMLInputElement>('[data-selects]')) {
  box.hidden = false;
  const all = () => box.form!.querySelectorAll<HTMLInputElement>(`input[name="${box.dataset.selects}"]`);
  box.addEventListener('change', () => {
    for (const one of all()) one.checked = box.checked;
  });
  box.form!.addEventListener('change', () => {
    const checked = [...all()].filter((one) => one.checked).length;
    box.checked = checked > 0 && checked === all().length;
    box.indeterminate = checked > 0 && checked < all().length;
  });
}

/** Bulk actions, which need selected passes or all results. */
const bulkBar = document.querySelector('.bulk-bar');
if (bulkBar) {
  const form = bulkBar.closest('form')!;
  const update = () => {
    const isEmpty = !form.querySelector('[name="scope"][value="all"]:checked, [name="pass"]:checked');
    for (const button of bulkBar.querySelectorAll('button')) button.disabled = isEmpty;
  };
  form.addEventListener('change', update);
  // Browsers restore the selection when the user returns to the page.
  addEventListener('pageshow', update);
  update();
}

const WITHOUT_VALUE = new Set(['empty', 'notEmpty', 'isTrue', 'isFalse']);
const INPUT_TYPES: Record<string, string> = { number: 'number', date: 'date' };

const builder = document.querySelector<HTMLFormElement>('#query-form');
if (builder) {
  for (const row of builder.querySelectorAll<HTMLElement>('.condition')) watch(row);
  builder.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('button[name]');
    if (button && press(builder, button)) event.preventDefault();
  });
  builder.querySelector('select[name="template"]')?.addEventListener('change', () => builder.requestSubmit());
}

/** Handles a button of the form without the server; returns false to leave it to the server. */
function press(form: HTMLFormElement, button: HTMLButtonElement): boolean {
  if (button.name === 'remove') {
    const row = button.closest('.condition');
    const group = button.closest('.condition-group');
    // Removing the last row of a group also removes the group, which the server does.
    if (!row || !group || group.querySelectorAll('.condition').length === 1) return false;
    (row.previousElementSibling ?? row.nextElementSibling)?.querySelector<HTMLElement>('select, button')?.focus();
    row.remove();
    number(form);
    return true;
  }
  if (button.name !== 'add' || button.value === 'group') return false;
  const last = button.previousElementSibling;
  if (!last?.matches('.condition')) return false;
  const row = last.cloneNode(true) as HTMLElement;
  for (const field of row.querySelectorAll('select')) field.selectedIndex = 0;
  const value = row.querySelector<HTMLInputElement | HTMLTextAreaElement>('[name="v"]')!;
  const input = document.createElement('input');
  input.name = 'v';
  value.replaceWith(input);
  button.before(row);
  watch(row);
  number(form);
  row.querySelector('select')!.focus();
  return true;
}

/** Updates the comparisons and the input of a row when its field changes. */
function watch(row: HTMLElement): void {
  const field = row.querySelector<HTMLSelectElement>('[name="f"]')!;
  const operator = row.querySelector<HTMLSelectElement>('[name="o"]')!;
  field.addEventListener('change', () => {
    const kind = field.selectedOptions[0]?.dataset.kind ?? 'text';
    const operators = document.querySelector<HTMLTemplateElement>(`template[data-operators="${kind}"]`)!;
    operator.replaceChildren(operators.content.cloneNode(true));
    const value = row.querySelector<HTMLInputElement>('[name="v"]')!;
    if (value instanceof HTMLInputElement) {
      value.type = INPUT_TYPES[kind] ?? 'text';
      value.step = kind === 'number' ? 'any' : '';
    }
    showValue();
  });
  operator.addEventListener('change', showValue);
  function showValue() {
    row.querySelector('[name="v"]')!.classList.toggle('unused', WITHOUT_VALUE.has(operator.value));
  }
}

/** Renumbers the rows: their accessible names and the values of their buttons. */
function number(form: HTMLFormElement): void {
  const names = { f: 'Field', o: 'Comparison', v: 'Value' };
  for (const [i, row] of form.querySelectorAll('.condition').entries()) {
    for (const [name, title] of Object.entries(names)) {
      row.querySelector(`[name="${name}"]`)!.setAttribute('aria-label', `${title} of condition ${i + 1}`);
    }
    const button = row.querySelector<HTMLButtonElement>('button[name="remove"]')!;
    button.value = String(i);
    button.setAttribute('aria-label', `Remove condition ${i + 1}`);
  }
}
