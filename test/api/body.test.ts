import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import type { ApiEnv } from '../../src/api/api-env.ts';
import { parseObject, readBody } from '../../src/api/body.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { BODY_BYTES_MAX, BULK_BODY_BYTES_MAX } from '../../src/domain/limits.ts';
import { NAMES_MAX, PARTS_MAX } from '../../src/platform/json.ts';

const app = new Hono<ApiEnv>();
app.onError((error, c) => c.text(error instanceof DomainError ? error.kind : String(error), 400));
app.post('*', readBody, (c) => c.json(c.var.rawBody.length));

/** Sends this many bytes in chunks, without announcing the length. */
async function streamed(path: string, bytes: number): Promise<string> {
  let left = bytes;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const some = Math.min(left, 1_000_000);
      left -= some;
      if (some > 0) controller.enqueue(new Uint8Array(some).fill(0x20));
      else controller.close();
    },
  });
  const reply = await app.request(path, { method: 'POST', body, duplex: 'half' } as RequestInit);
  return reply.text();
}

test.each([
  ['/api/v3/pass', BODY_BYTES_MAX],
  ['/api/v3/pass/bulk', BULK_BODY_BYTES_MAX],
])('a body of %s without an announced length may have %d bytes, and no more', async (path, bytesMax) => {
  expect(await streamed(path, bytesMax)).toBe(String(bytesMax));
  expect(await streamed(path, bytesMax + 1)).toBe('too_large');
});

describe('objects and arrays of a body, which take many times the memory of their text,', () => {
  const listOf = (count: number, item: string) => `{"passes":[${Array(count).fill(item).join(',')}]}`;

  test.each(['{}', '[]'])('are rejected before they exist if there are too many: %s', (item) => {
    expect(() => parseObject(listOf(PARTS_MAX - 1, item))).toThrow(
      'The request body has more than 300000 objects and arrays',
    );
  });

  test('may reach the limit, and texts may have more braces', () => {
    expect(parseObject(listOf(PARTS_MAX - 2, '{}')).passes).toHaveLength(PARTS_MAX - 2);
    const texts = listOf(2, `"${'{['.repeat(PARTS_MAX)} \\" ${'{'.repeat(PARTS_MAX)}"`);
    expect(parseObject(texts).passes).toHaveLength(2);
  });
});

describe('the names of members in a large body', () => {
  const text = 'x'.repeat(BODY_BYTES_MAX);
  const named = (count: number) => Array.from({ length: count }, (_, i) => [`name ${i}`, ':"']);

  test('may be 20,000 different ones, because objects take ten times the memory of their text', () => {
    const body = (count: number) => JSON.stringify({ text, ...Object.fromEntries(named(count)) });
    expect(() => parseObject(body(NAMES_MAX))).toThrow(
      'The request body has more than 20000 different names of members',
    );
    expect(Object.keys(parseObject(body(NAMES_MAX - 1)))).toHaveLength(NAMES_MAX);
  });

  test('may be repeated, and texts may have colons', () => {
    const passes = Array.from({ length: 2 * NAMES_MAX }, (_, i) => ({ 'a "name"': `"${i}": {"x": ` }));
    expect(parseObject(JSON.stringify({ text, passes })).passes).toHaveLength(2 * NAMES_MAX);
  });
});
