import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { ROOT } from '../settings.ts';

/** Pictures of README and docs. */
const DOCS = join(ROOT, '.github', 'images');
/** Pictures of the front page; the README shows them, too. */
const FRONT_PAGE = join(ROOT, 'src', 'pages', 'home', 'client');

const WEBP_QUALITY = 78;

/** Takes a screenshot once the page is at rest. */
export async function shoot(page: Page, of: Page | Locator = page): Promise<Buffer> {
  await page.waitForLoadState('networkidle');
  return of.screenshot({ animations: 'disabled' });
}

/** Saves a picture for the docs as a PNG with a palette, at a third of the size. */
export function keepForDocs(name: string, picture: Buffer): Promise<void> {
  return keep(sharp(picture).png({ palette: true, compressionLevel: 9 }), join(DOCS, `${name}.png`));
}

/** Saves a picture for the front page. */
export function keepForFrontPage(name: string, picture: Buffer): Promise<void> {
  return keep(sharp(picture).webp({ quality: WEBP_QUALITY, effort: 6 }), join(FRONT_PAGE, `${name}.webp`));
}

/** Saves the front page's link preview, not as WebP because some sites don't support it. */
export function keepForLinks(name: string, picture: Buffer): Promise<void> {
  return keep(sharp(picture).png({ palette: true, compressionLevel: 9 }), join(FRONT_PAGE, `${name}.png`));
}

/** Layout of pictures side by side, in pixels. */
interface Arrangement {
  /** Negative: each overlaps the one behind it. */
  gap: number;
  /** Corner radius of each picture, in order. */
  radii: number[];
  /** How much lower each is than the one before it. */
  step?: number;
  /** Common bottom edge, with square corners; absent: all have the same height. */
  height?: number;
}

/** Puts pictures side by side. */
export async function sideBySide(pictures: Buffer[], { gap, radii, step = 0, height: end }: Arrangement) {
  const layers: OverlayOptions[] = [];
  let left = 0;
  let bottom = 0;
  for (const [i, picture] of pictures.entries()) {
    const { width, height } = await sharp(picture).metadata();
    const top = i * step;
    bottom = end ?? height;
    const round = await sharp(picture)
      .composite([{ input: roundMask(width, height, radii[i] ?? 0), blend: 'dest-in' }])
      .png()
      .toBuffer();
    const shown = { left: 0, top: 0, width, height: Math.min(height, bottom - top) };
    layers.unshift({ input: await sharp(round).extract(shown).toBuffer(), left, top });
    left += width + gap;
  }
  const canvas = { width: left - gap, height: bottom, channels: 4, background: '#00000000' } as const;
  return sharp({ create: canvas }).composite(layers).png().toBuffer();
}

function roundMask(width: number, height: number, radius: number): Buffer {
  return Buffer.from(
    `<svg width="${width}" height="${height}"><rect width="${width}" height="${height}" rx="${radius}"/></svg>`,
  );
}

async function keep(picture: Sharp, file: string): Promise<void> {
  const { size } = await picture.toFile(file);
  console.log(`${file}  ${(size / 1_024).toFixed(1)} KiB`);
}
