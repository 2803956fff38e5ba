import { beforeAll, describe, expect, it } from 'vitest';
import { type Reply, send } from '../../support/api.ts';

describe('GET /', () => {
  let page: Reply;
  beforeAll(async () => {
    page = await send('GET', '/');
  });

  it('leads to the reference, the contract document, the health check and the console', async () => {
    expect(page.status).toBe(200);
    for (const path of ['/docs', '/openapi.json', '/health', '/console/sign-in'] as const) {
      expect(page.body).toContain(`href="${path}"`);
      expect((await send('GET', path)).status, path).toBe(200);
    }
  });

  it('points to operations that the reference has', async () => {
    const { body: reference } = await send('GET', '/docs');
    const anchors = [...String(page.body).matchAll(/href="\/docs#([^"]+)"/g)].map(([, id]) => id);
    expect(anchors.length).toBeGreaterThan(0);
    for (const id of anchors) expect(reference).toContain(` id="${id}"`);
  });

  it('runs no script', () => {
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(page.headers.get('Content-Security-Policy')).not.toContain('script-src');
    expect(page.body).not.toContain('<script');
  });
});
