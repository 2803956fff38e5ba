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
  /** Selector of parts that are the same in another look that is checked. They are empty meanwhile. */
  known?: string;
}

/** What the pages of an account have in common. */
export const FRAME = '.top-bar, .side-menu';

/** Returns axe's findings on a page, and whether it is wider than its window, or a panel wider than its box. */
export async function faultsOf(
  page: Page,
  { ignored = [], iframes = true, known }: FaultOptions = {},
): Promise<string[]> {
  const rules = Object.fromEntries(ignored.map((rule) => [rule, { enabled: false }]));
  const options = JSON.stringify({ resultTypes: ['violations'], iframes, rules, preload: false });
  const find = `(async () => {
    if (!window.axe) {
      if (!window.installAxe) return;
      installAxe();
    }
    const tooWide = [document.documentElement, ...document.querySelectorAll('dialog[open] *')]
      .filter((box) => box === document.documentElement || getComputedStyle(box).overflowX === 'auto')
      .filter((box) => box.scrollWidth > box.clientWidth);
    const emptied = [...document.querySelectorAll(${JSON.stringify(known ?? 'none')})]
      .map((part) => ({ part, content: [...part.childNodes] }));
    for (const { part } of emptied) part.replaceChildren();
    const { violations } = await axe.run(document, ${options});
    for (const { part, content } of emptied) part.replaceChildren(...content);
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
  for (const one of looks) {
    await turn(page, one);
    await look(page, nameOf(name, one), options);
  }
}

async function turn(page: Page, { viewport, colorScheme }: Look): Promise<void> {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
}

const nameOf = (name: string, { viewport, colorScheme }: Look) => `${name} ${viewport.width} ${colorScheme}`;

const IDENTIFIERS = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

/** Opens pages of an account one after another, and expects them to have no faults in either look. */
export async function walk(page: Page, paths: readonly string[]): Promise<void> {
  let looks = LOOKS;
  await turn(page, looks[0]!);
  for (const [i, path] of paths.entries()) {
    await page.goto(path);
    // Each page begins in the last look of the one before.
    for (const [j, one] of looks.entries()) {
      if (j > 0) await turn(page, one);
      await look(page, nameOf(path.replaceAll(IDENTIFIERS, 'id'), one), i > 0 ? { known: FRAME } : {});
    }
    looks = looks.toReversed();
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
