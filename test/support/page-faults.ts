import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Folder for screenshots to review; none are taken without it. */
const PICTURES = process.env.SCREENSHOTS;

interface FaultOptions {
  /** Axe rules to ignore. */
  ignored?: string[];
  /** Whether to check documents in frames; axe can't enter a frame whose sandbox forbids scripts. */
  iframes?: boolean;
}

/** Returns axe's findings on a page, and whether it is wider than its window, or a panel wider than its box. */
export async function faultsOf(page: Page, { ignored = [], iframes = true }: FaultOptions = {}): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const rules = Object.fromEntries(ignored.map((rule) => [rule, { enabled: false }]));
  const options = JSON.stringify({ resultTypes: ['violations'], iframes, rules, preload: false });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  const faults = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  const tooWide = await page.evaluate<
    string[]
  >(`[document.documentElement, ...document.querySelectorAll('dialog[open] *')]
    .filter((box) => box === document.documentElement || getComputedStyle(box).overflowX === 'auto')
    .filter((box) => box.scrollWidth > box.clientWidth)
    .map((box) => 'wider than its box: ' + (box.id || box.className || box.localName))`);
  return [...faults, ...tooWide];
}

/**
 * Expects a page to have no faults in either look. Opens it once: the server's output is the same, and scripts handle
 * the change like a rotated phone.
 */
export async function lookTwice(page: Page, name: string, options?: FaultOptions): Promise<void> {
  for (const { viewport, colorScheme } of LOOKS) {
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
