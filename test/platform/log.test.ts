import { DrizzleQueryError } from 'drizzle-orm/errors';
import { describe, expect, test, vi } from 'vitest';
import { describeError, logLine, withoutSecrets } from '../../src/platform/log.ts';

describe('an error in a log', () => {
  test('is its name, message and stack', () => {
    expect(describeError(new TypeError('no way'))).toMatch(/^TypeError: no way\n +at /);
  });

  test('includes its cause', () => {
    const error = new Error('outer', { cause: new RangeError('inner', { cause: 'the root' }) });
    expect(describeError(error)).toMatch(
      /^Error: outer\n(.*\n)*caused by RangeError: inner\n(.*\n)*caused by the root$/,
    );
  });

  test('omits the operands of a statement, and includes the database’s message', () => {
    const error = new DrizzleQueryError('select ?, ?', ['PIN 4711', '$&'], new Error('D1_ERROR: too many terms'));
    const words = describeError(error);
    expect(words).toContain('Failed query: select ?, ?');
    expect(words).toContain('caused by Error: D1_ERROR: too many terms');
    expect(words).not.toMatch(/4711|\$&|params/);
  });

  test('is the value itself if it is not an error', () => {
    expect(describeError('gone')).toBe('gone');
  });
});

describe('a log line', () => {
  test.each([
    ['fetch failed: https://shop.example/hook?token=abc', 'fetch failed: https://shop.example/…'],
    ['at "https://u:p@passes.example:8443/p/Zm9v"', 'at "https://passes.example:8443/…"'],
    ['<http://passes.example/passes/1/t.pkpass>', '<http://passes.example/…>'],
    ['https://[', '…'],
    ['no mailbox ada.lovelace+tickets@example.co.uk', 'no mailbox …'],
    ['The number +436601234567 is not valid', 'The number … is not valid'],
    ['key pk_0123456789abcdef_x-Y_z', 'key pk_…'],
    ['secret whsec_MfKQ9r8G+/=', 'secret whsec_…'],
    ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer …'],
    ['Authorization: ApplePass Zm9vYmFy', 'Authorization: ApplePass …'],
  ])('shows only the harmless part of %s', (text, shown) => {
    expect(withoutSecrets(text)).toBe(shown);
  });

  test.each([
    'TypeError: no way\n    at go (file:///bundle/index.js:12:5)',
    '{"route":"/p/:token","requestId":"0c1b6b0a-4f6c-4c65-9d3c-0f8f7d9c1a11","pass":"019384f2-0000-7000-8000-000000000000"}',
    'image 2f1c… is not in the bucket, D1_ERROR: UNIQUE constraint failed: api_keys.id',
  ])('does not change %s', (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  test('is JSON, even if it quotes an address', () => {
    const lines: string[] = [];
    vi.spyOn(console, 'error').mockImplementation((line: string) => lines.push(line));
    logLine('error', { event: 'x', error: 'no "https://a.example/p/1"\nat https://b.example/2\\' });
    expect(JSON.parse(lines[0]!)).toEqual({
      level: 'error',
      event: 'x',
      error: 'no "https://a.example/…"\nat https://b.example/…\\',
    });
  });
});
