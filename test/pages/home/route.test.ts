import sharp from 'sharp';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { barcodeSvg } from '../../../src/platform/barcodes.ts';
import { type Reply, send } from '../../support/api.ts';

describe('GET /', () => {
  let page: Reply;
  beforeAll(async () => {
    // As a remote visitor sees it; pages/dev-demo tests what a local service shows on its own machine.
    page = await send('GET', '/', undefined, { 'X-Forwarded-For': '203.0.113.7' });
  });

  test('links to the reference, the contract document, the health check and the console', async () => {
    expect(page.status).toBe(200);
    for (const path of ['/docs', '/openapi.json', '/health', '/console/sign-in'] as const) {
      expect(page.body).toContain(`href="${path}"`);
      expect((await send('GET', path)).status, path).toBe(200);
    }
  });

  test('links to operations that are in the reference', async () => {
    const { body: reference } = await send('GET', '/docs');
    const anchors = [...String(page.body).matchAll(/href="\/docs#([^"]+)"/g)].map(([, id]) => id);
    expect(anchors.length).toBeGreaterThan(0);
    for (const id of anchors) expect(reference).toContain(` id="${id}"`);
  });

  test('loads pictures lazily with their sizes, in both color schemes', async () => {
    const pictures = [
      ...String(page.body).matchAll(
        /<img src="(\/client\/[^"]+\.webp)" alt="[^"]{20,}" width="(\d+)" height="(\d+)" loading="lazy"\/>/g,
      ),
    ];
    expect(pictures).toHaveLength(5);
    const dark = [...String(page.body).matchAll(/<source srcset="([^"]+)" media="\(prefers-color-scheme: dark\)"\/>/g)];
    expect(dark).toHaveLength(3);
    for (const [, path, width, height] of pictures) {
      const { status, headers, body } = await send('GET', path as '/');
      expect([status, headers.get('Content-Type')], path).toEqual([200, 'image/webp']);
      const size = await sharp(body).metadata();
      expect([size.width, size.height], path).toEqual([Number(width), Number(height)]);
    }
    for (const [, path] of dark) expect((await send('GET', path as '/')).status, path).toBe(200);
  });

  test('has metadata for link previews, with a picture’s full address', async () => {
    const meta = (name: string) => new RegExp(`<meta property="og:${name}" content="([^"]+)"`).exec(page.body)?.[1];
    const { origin } = inject('worker');
    expect([meta('type'), meta('url')]).toEqual(['website', `${origin}/`]);
    expect(page.body).toContain(`<title>Pass wallet service: ${meta('title')}</title>`);
    const picture = meta('image') as `http://${string}`;
    expect(picture).toMatch(`${origin}/client/`);
    const { width, height } = await sharp((await send('GET', picture)).body).metadata();
    expect([width, height]).toEqual([Number(meta('image:width')), Number(meta('image:height'))]);
  });

  test('shows both sides of a pass, whose code links back to the page', async () => {
    const [, svg] = /src="data:image\/svg\+xml,([^"]+)"/.exec(page.body)!;
    expect(decodeURIComponent(svg!)).toBe(await barcodeSvg('qr', inject('worker').origin));
    for (const text of ['Season ticket', 'The QR code is real']) expect(page.body).toContain(text);
  });

  test('runs no script', () => {
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(page.headers.get('Content-Security-Policy')).not.toContain('script-src');
    expect(page.body).not.toContain('<script');
  });
});

describe('an unknown address', () => {
  const asPerson = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  test('shows people a page with a link back', async () => {
    const page = await send('GET', '/nothing/here', undefined, asPerson);
    expect(page.status).toBe(404);
    expect(page.headers.get('Content-Type')).toContain('text/html');
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(page.body).toContain('Page not found');
    expect(page.body).toContain('href="/"');
  });

  test('answers programs with JSON, and below the API everyone', async () => {
    const json = { status: 404, body: { ErrorMessage: 'Object not found' } };
    expect(await send('GET', '/nothing/here')).toMatchObject(json);
    expect(await send('POST', '/nothing/here', undefined, asPerson)).toMatchObject(json);
    expect(Object.keys((await send('GET', '/api/nothing', undefined, asPerson)).body as object)).toEqual([
      'ErrorMessage',
    ]);
  });
});
