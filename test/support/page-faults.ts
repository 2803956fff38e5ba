import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Defines a function that loads axe, because few of the documents with this script need it. */
const INSTALLER = `globalThis.installAxe = function () {${AXE}\n}`;
/** Pages with a checked document. The next ones get the installer when they load, so that it is sent only once. */
const checked = new WeakSet<Page>();
/** Folder for screenshots to review; none are taken without it. */
const PICTURES = process.env.SCREENSHOTS;

interface FaultOptions {
  /** Axe rules to ignore. */
  ignored?: string[];
  /** Whether to check documents in frames; axe can't enter a frame whose sandbox forbids scripts. */
  iframes?: boolean;
  /** Selector of the only part to check, if the rest of the page is as in another look. */
  within?: string;
}

/** Returns axe's findings on a page, and whether it is wider than its window, or a panel wider than its box. */
export async function faultsOf(
  page: Page,
  { ignored = [], iframes = true, within }: FaultOptions = {},
): Promise<string[]> {
  const rules = Object.fromEntries(ignored.map((rule) => [rule, { enabled: false }]));
  const options = JSON.stringify({ resultTypes: ['violations'], iframes, rules, preload: false });
  const find = `(async () => {
    if (!window.axe) {
      if (!window.installAxe) return;
      installAxe();
    }
    const { violations } = await axe.run(${within ? JSON.stringify(within) : 'document'}, ${options});
    const tooWide = [document.documentElement, ...document.querySelectorAll('dialog[open] *')]
      .filter((box) => box === document.documentElement || getComputedStyle(box).overflowX === 'auto')
      .filter((box) => box.scrollWidth > box.clientWidth);
    return [
      ...violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')),
      ...tooWide.map((box) => 'wider than its box: ' + (box.id || box.className || box.localName)),
    ];
  })()`;
  const faults = await page.evaluate<string[] | undefined>(find);
  if (faults) return faults;
  if (checked.has(page)) await page.addInitScript(INSTALLER);
  checked.add(page);
  await page.evaluate(`${INSTALLER};0`);
  return page.evaluate<string[]>(find);
}

/**
 * Expects a page to have no faults in either look. Opens it once: the server's output is the same, and scripts handle
 * the change like a rotated phone. A page of a phone is one afterwards, too.
 */
export function lookTwice(page: Page, name: string, options?: FaultOptions): Promise<void> {
  return lookIn(page.viewportSize()?.width === PHONE.width ? LOOKS.toReversed() : LOOKS, page, name, options);
}

/** Expects a page to have no faults in several looks. Afterwards, it is in the last one. */
export async function lookIn(looks: readonly Look[], page: Page, name: string, options?: FaultOptions): Promise<void> {
  for (const { viewport, colorScheme } of looks) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await look(page, `${name} ${viewport.width} ${colorScheme}`, options);
  }
}

/** Takes a screenshot if requested, and expects the page to have no faults. */
export async function look(page: Page, name: string, options?: FaultOptions): Promise<void> {
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name.replaceAll(/\W+/g, '-')}.png`, fullPage: true });
  expect(await faultsOf(page, options), name).toEqual([]);
}

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };

export interface Look {
  viewport: { width: number; height: number };
  colorScheme: 'light' | 'dark';
}

/**
 * Covers both widths and both color schemes in two looks: layout depends on the width and contrast on the scheme, so
 * the other combinations would show nothing new.
 */
export const LOOKS: Look[] = [
  { viewport: PHONE, colorScheme: 'dark' },
  { viewport: DESKTOP, colorScheme: 'light' },
];
