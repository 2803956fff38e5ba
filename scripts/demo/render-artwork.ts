import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { findChromium } from '../chromium.ts';

/*
 * Draws scripts/demo/artwork/*.svg into scripts/demo/images/*.png: `node scripts/demo/render-artwork.ts [name...]`. The
 * pictures are committed, so run this only after changing a drawing. Wordmarks need the fonts of Debian's package
 * fonts-urw-base35.
 */

/** Drawings are in points at 1x; phones go up to 3x. */
const SCALE = 3;
/**
 * Google uses the icon as its logo and requires at least 660 x 660 pixels ("Pass brand guidelines"): 38 points x 18.
 */
const ICON_SCALE = 18;
/** Google requires 1280 x 400 pixels for a wide logo: 160 points x 8. */
const WIDE_LOGO_SCALE = 8;

const artwork = join(import.meta.dirname, 'artwork');
const images = join(import.meta.dirname, 'images');

const wanted = process.argv.slice(2);
const names = (await readdir(artwork))
  .map((file) => file.replace(/\.svg$/, ''))
  .filter((name) => wanted.length === 0 || wanted.includes(name));

const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  for (const name of names) {
    const svg = await readFile(join(artwork, `${name}.svg`), 'utf8');
    const page = await browser.newPage({ deviceScaleFactor: scaleOf(name) });
    await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`);
    const drawn = await page.locator('svg').screenshot({ omitBackground: true });
    await page.close();
    // The drawings are flat, so a palette keeps their look at a fraction of the size.
    const png = await sharp(drawn).png({ palette: true, quality: 95, effort: 10, compressionLevel: 9 }).toBuffer();
    await writeFile(join(images, `${name}.png`), png);
    console.log(`${name}.png ${png.length} bytes`);
  }
} finally {
  await browser.close();
}

function scaleOf(name: string): number {
  if (name.endsWith('-icon')) return ICON_SCALE;
  return name.endsWith('-wide-logo') ? WIDE_LOGO_SCALE : SCALE;
}
