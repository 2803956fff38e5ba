import { beforeAll, describe, expect, test } from 'vitest';
import { type Reply, send } from '../../support/api.ts';

describe('GET /', () => {
  let page: Reply;
  beforeAll(async () => {
    page = await send('GET', '/');
  });

  test('leads to the reference, the contract document, the health check and the console', async () => {
    expect(page.status).toBe(200);
    for (const path of ['/docs', '/openapi.json', '/health', '/console/sign-in'] as const) {
      expect(page.body).toContain(`href="${path}"`);
      expect((await send('GET', path)).status, path).toBe(200);
    }
  });

  test('points to operations that the reference has', async () => {
    const { body: reference } = await send('GET', '/docs');
    const anchors = [...String(page.body).matchAll(/href="\/docs#([^"]+)"/g)].map(([, id]) => id);
    expect(anchors.length).toBeGreaterThan(0);
    for (const id of anchors) expect(reference).toContain(` id="${id}"`);
  });

  test('runs no script', () => {
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(page.headers.get('Content-Security-Policy')).not.toContain('script-src');
    expect(page.body).not.toContain('<script');
  });
});

describe('an address that leads nowhere', () => {
  const asPerson = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  test('shows people a page, with the way back', async () => {
    const page = await send('GET', '/nothing/here', undefined, asPerson);
    expect(page.status).toBe(404);
    expect(page.headers.get('Content-Type')).toContain('text/html');
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(page.body).toContain('Page not found');
    expect(page.body).toContain('href="/"');
  });

  test('tells programs in JSON, and below the API whoever asks', async () => {
    const json = { status: 404, body: { ErrorMessage: 'Object not found' } };
    expect(await send('GET', '/nothing/here')).toMatchObject(json);
    expect(await send('POST', '/nothing/here', undefined, asPerson)).toMatchObject(json);
    expect(Object.keys((await send('GET', '/api/nothing', undefined, asPerson)).body as object)).toEqual([
      'ErrorMessage',
    ]);
  });
});
