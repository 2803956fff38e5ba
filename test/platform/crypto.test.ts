import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { fromBase64, toBase64 } from '../../src/platform/crypto.ts';

test('base64 is accepted with either alphabet, with or without padding, and nothing else is', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  expect(fromBase64(toBase64(bytes))).toEqual(bytes);
  expect(fromBase64(Buffer.from(bytes).toString('base64url'))).toEqual(bytes);
  expect(fromBase64('')).toEqual(new Uint8Array());
  for (const wrong of ['a', 'a*b=', '💳']) expect(() => fromBase64(wrong)).toThrow();
});

test('base64 of an image of 5 MiB is read with little more memory than its bytes take', () => {
  const file = pathToFileURL(join(import.meta.dirname, '../../src/platform/crypto.ts'));
  const code = `
    const { fromBase64 } = await import(${JSON.stringify(file.href)});
    console.log(fromBase64(Buffer.alloc(${5 * 1024 * 1024}, 65).toString('base64')).length);
  `;
  // Strings and bytes of this size are outside the heap; a list of characters isn't.
  const said = execFileSync(process.execPath, ['--max-heap-size=40', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  expect(String(said).trim()).toBe(String(5 * 1024 * 1024));
});
