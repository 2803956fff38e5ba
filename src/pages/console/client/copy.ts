/* Gives each block of code a button that copies it. */
for (const block of navigator.clipboard ? document.querySelectorAll('.code-block') : []) {
  const button = document.createElement('button');
  const title = block.querySelector('figcaption')?.textContent?.trim() ?? '';
  button.type = 'button';
  button.textContent = 'Copy';
  button.ariaLabel = `Copy: ${title}`;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  });
  block.append(button);
}
