/* Adds a copy button to each block of code. */

const SHOWN_MILLIS = 2_000;

for (const block of navigator.clipboard ? document.querySelectorAll('.code-block') : []) {
  const code = block.querySelector('code');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.ariaLabel = `Copy: ${block.querySelector('figcaption')?.textContent ?? ''}`;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code?.textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, SHOWN_MILLIS);
  });
  block.append(button);
}
