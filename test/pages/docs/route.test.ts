import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Reply, send } from '../../support/api.ts';

interface Operation {
  operationId: string;
  summary: string;
}

describe('GET /docs', () => {
  let page: Reply;
  let operations: Operation[];
  beforeAll(async () => {
    page = await send('GET', '/docs');
    const { body } = await send('GET', '/openapi.json');
    operations = Object.values<Record<string, Operation>>(body.paths).flatMap((item) => Object.values(item));
  });

  const all = (pattern: RegExp) => [...String(page.body).matchAll(pattern)].map(([, found]) => found!);

  test('has an anchor for each operation of the contract document', () => {
    expect(page.status).toBe(200);
    const ids = all(/<article class="operation" id="([^"]+)"/g);
    expect(operations.length).toBeGreaterThan(0);
    expect(ids.sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
  });

  test('has every anchor that it links to, and none twice', () => {
    const ids = all(/ id="([^"]+)"/g);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    const targets = all(/ href="#([^"]+)"/g);
    expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
    expect(targets).toEqual(expect.arrayContaining(operations.map(({ operationId }) => operationId)));
  });

  test('shows the code in titles as code, also in the list of contents', () => {
    const titles = [...all(/<h3[^>]*>(.*?)<\/h3>/gs), ...all(/<a class="operation-link[^>]*>(.*?)<\/a>/gs)];
    expect(titles.filter((title) => title.includes('<code>signature</code>'))).toHaveLength(2);
    expect(titles.filter((title) => title.includes('`'))).toEqual([]);
  });

  test('shows commands for the address of the request', () => {
    expect(page.body).toContain(`${inject('worker').origin}/api/v3/pass`);
  });

  test('loads nothing from other sites, and no script but its own', async () => {
    const loaded = all(/<(?:script|link|img|iframe)[^>]* (?:src|href)="([^"]+)"/g).filter((url) => url !== 'data:,');
    expect(loaded.every((url) => url.startsWith('/client/'))).toBe(true);
    const types = await Promise.all(
      loaded.map(async (path) => {
        const { status, headers } = await send('GET', path as '/');
        expect(status).toBe(200);
        expect(headers.get('Cache-Control')).toContain('immutable');
        return headers.get('Content-Type');
      }),
    );
    expect(types.sort()).toEqual(['text/css; charset=utf-8', 'text/javascript; charset=utf-8']);
  });

  test('forbids inline scripts and styles', () => {
    const policy = page.headers.get('Content-Security-Policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(page.body).not.toMatch(/<script(?![^>]* src=)| style="| on[a-z]+="/);
  });

  test('is not sent again to a browser that has it', async () => {
    const etag = page.headers.get('ETag')!;
    const again = await send('GET', '/docs', undefined, { 'If-None-Match': etag });
    expect([again.status, again.body]).toEqual([304, undefined]);
  });
});
