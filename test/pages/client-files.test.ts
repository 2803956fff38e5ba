import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';

const { origin } = inject('worker');
/** The address of each entry, followed by those of the files it loads. */
const manifest: Record<string, [path: string, ...loads: string[]]> = JSON.parse(
  readFileSync('.wrangler/client/manifest.json', 'utf8'),
);

test('every client file is served at an address whose content never changes', async () => {
  const paths = Object.values(manifest).flat();
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) {
    expect(path).toMatch(/^\/client\/[a-z0-9_-]+\.[A-Z0-9]{8}\.\w+$/);
    const { status, headers } = await fetch(origin + path, { method: 'HEAD' });
    expect(status, path).toBe(200);
    expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  }
});

test('a worker among them has its own policy, which allows only our scripts and WebAssembly', async () => {
  const { headers } = await fetch(origin + manifest['scanner/decoder.ts']![0]);
  expect(headers.get('Content-Security-Policy')).toBe(
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
  );
});

test('an entry lists what it loads at run time', () => {
  expect(manifest['scanner/decoder.ts']!.slice(1)).toEqual([expect.stringMatching(/\/zxing_reader\..+\.wasm$/)]);
});
