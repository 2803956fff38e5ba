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
