import { expect, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { faultsOf, lookTwice, PHONE } from '../support/page-faults.ts';

/* The other browser tests rely on these findings. */

const FAULTS = `{
  const main = document.querySelector('main');
  const text = Object.assign(document.createElement('p'), { textContent: 'Pale', style: 'color: #eee; background: #fff' });
  const wide = Object.assign(document.createElement('p'), { textContent: 'Wide', style: 'width: 5000px' });
  main.append(text, Object.assign(document.createElement('img'), { src: '/icon.png' }), wide);
  document.body.append(Object.assign(document.createElement('div'), { id: 'part', innerHTML: '<button></button>' }));
}`;

test('faults are found in each document of a page, and in the parts that are not known', async () => {
  const { page, close } = await openPage({ viewport: PHONE }, /404/);
  for (const path of ['/console/sign-in', '/', '/console/sign-in']) {
    await page.goto(path);
    expect(await faultsOf(page), path).toEqual([]);
    await page.evaluate(FAULTS);
    const found = (await faultsOf(page)).map((fault) => fault.split(':')[0]).sort();
    expect(found).toEqual(['button-name', 'color-contrast', 'image-alt', 'wider than its box']);
    const rest = (await faultsOf(page, { known: 'main' })).map((fault) => fault.split(':')[0]).sort();
    expect(rest).toEqual(['button-name', 'page-has-heading-one', 'wider than its box']);
    expect((await faultsOf(page)).length, 'the known parts are as before').toBe(found.length);
  }
  await expect(lookTwice(page, 'a page with faults')).rejects.toThrow('color-contrast');
  await close();
});
