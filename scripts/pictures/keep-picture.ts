import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { ROOT } from '../settings.ts';

/** Of README and docs. */
const DOCS = join(ROOT, '.github', 'images');
/** Of the front page, which the README shows, too. */
const FRONT_PAGE = join(ROOT, 'src', 'pages', 'home', 'client');

const WEBP_QUALITY = 78;

/** A screenshot of what a page shows at rest. */
export async function shoot(page: Page, of: Page | Locator = page, options: { fullPage?: boolean } = {}) {
  await page.waitForLoadState('networkidle');
  return of.screenshot({ ...options, animations: 'disabled', omitBackground: of !== page });
}

/** Keeps a picture for the docs, as a PNG with a palette, which takes a third of the bytes. */
export function keepForDocs(name: string, picture: Buffer): Promise<void> {
  return keep(sharp(picture).png({ palette: true, compressionLevel: 9 }), join(DOCS, `${name}.png`));
}

/** Keeps a picture for the front page. */
export function keepForFrontPage(name: string, picture: Buffer): Promise<void> {
  return keep(sharp(picture).webp({ quality: WEBP_QUALITY, effort: 6 }), join(FRONT_PAGE, `${name}.webp`));
}

/** Keeps what other sites show of a link to the front page; not all of them know WebP. */
export function keepForLinks(name: string, picture: Buffer): Promise<void> {
  return keep(sharp(picture).png({ palette: true, compressionLevel: 9 }), join(FRONT_PAGE, `${name}.png`));
}

/** Pictures of one height beside each other; `radius` rounds their corners, all in pixels. */
export async function sideBySide(pictures: Buffer[], { gap, radius = 0 }: { gap: number; radius?: number }) {
  let left = 0;
  let highest = 0;
  const layers: OverlayOptions[] = [];
  for (const picture of pictures) {
    const { width, height } = await sharp(picture).metadata();
    layers.push({ input: radius > 0 ? await rounded(picture, width, height, radius) : picture, left, top: 0 });
    left += width + gap;
    highest = Math.max(highest, height);
  }
  const canvas = { width: left - gap, height: highest, channels: 4, background: '#00000000' } as const;
  return sharp({ create: canvas }).composite(layers).png().toBuffer();
}

function rounded(picture: Buffer, width: number, height: number, radius: number): Promise<Buffer> {
  const mask = `<svg width="${width}" height="${height}"><rect width="${width}" height="${height}" rx="${radius}"/></svg>`;
  return sharp(picture)
    .composite([{ input: Buffer.from(mask), blend: 'dest-in' }])
    .png()
    .toBuffer();
}

async function keep(picture: Sharp, file: string): Promise<void> {
  const { size } = await picture.toFile(file);
  console.log(`${file}  ${(size / 1_024).toFixed(1)} KiB`);
}
