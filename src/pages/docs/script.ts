import { createHash } from 'node:crypto';
import { IMMUTABLE } from '../assets.ts';

/**
 * What the reference can do beyond reading, for browsers that run scripts: copy a block of code, and find an operation
 * in the contents. It is a text because the browser gets it as it stands; the page is complete without it.
 */
const TEXT = `
'use strict';

for (const block of navigator.clipboard ? document.querySelectorAll('.code-block') : []) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.ariaLabel = 'Copy: ' + block.querySelector('figcaption').textContent;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  block.append(button);
}

const box = document.querySelector('.find');
const input = box.querySelector('input');
const count = box.querySelector('.find-count');
const groups = document.querySelectorAll('.contents-group');

function find() {
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let found = 0;
  for (const group of groups) {
    let inGroup = 0;
    for (const item of group.querySelectorAll('[data-find]')) {
      const text = item.dataset.find.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) inGroup += 1;
    }
    group.hidden = inGroup === 0;
    found += inGroup;
  }
  count.textContent = words.length === 0 ? '' : found === 1 ? '1 operation' : found + ' operations';
}

input.addEventListener('input', find);
box.hidden = false;
`;

const HASH_CHARS = 12;
const hash = createHash('sha256').update(TEXT).digest('hex').slice(0, HASH_CHARS);

/** Address of the script, which changes with its content. */
export const DOCS_SCRIPT_PATH = `/assets/docs.${hash}.js`;

/** The reply with the script. */
export function docsScriptReply(): Response {
  return new Response(TEXT, {
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': IMMUTABLE,
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
