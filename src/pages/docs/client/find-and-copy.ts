/* Adds copy buttons to blocks of code, and a search to the table of contents. */

import '../../console/client/copy-code.ts';

const box = document.querySelector<HTMLElement>('.find')!;
const input = box.querySelector('input')!;
const count = box.querySelector('.find-count')!;

input.addEventListener('input', find);
box.hidden = false;

/** Hides operations and events that don't match all words, and groups without matches. */
function find(): void {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const group of document.querySelectorAll<HTMLElement>('.contents-group')) {
    let inGroup = 0;
    for (const item of group.querySelectorAll<HTMLElement>('[data-find]')) {
      const text = item.dataset.find!.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) inGroup += 1;
    }
    group.hidden = inGroup === 0;
    found += inGroup;
  }
  count.textContent = words.length === 0 ? '' : found === 1 ? '1 result' : `${found} results`;
}
