import { describe, expect, test } from 'vitest';
import { fillPlaceholders, type PlaceholderSource } from '../../../../src/domain/passes/card/placeholders.ts';
import { escapeHtml } from '../../../../src/platform/text.ts';

/** The parts of a pass and its template that a placeholder test needs. */
const source = {
  pass: { barcodeValue: 'B&1', userProvidedId: '<u>', properties: { name: 'A & "B"' } },
  definition: { additionalProperties: [{ id: 'name', name: 'Full name' }] },
  timezone: 'UTC',
  baseUrl: 'https://passes.example',
  signer: { keyId: 'key', sign: (text: string) => `signed<${text}>` },
} as unknown as PlaceholderSource;

const html = (text: string) => fillPlaceholders(text, { ...source, quote: escapeHtml });

describe('a text that is HTML', () => {
  test.each([
    ['<p>{Full name}</p>', '<p>A &amp; &quot;B&quot;</p>'],
    ['<a href="{userProvidedId}">', '<a href="&lt;u&gt;">'],
    ['{unknown} {a: b}', '{unknown} {a: b}'],
    ['{sign({Full name})}', 'signed&lt;A &amp; &quot;B&quot;&gt;'],
    ['{sign()}', 'signed&lt;B&amp;1&gt;'],
    ['{sign({sign({userProvidedId})})}', 'signed&lt;signed&lt;&lt;u&gt;&gt;&gt;'],
    ['{sign({Full name}', '{sign(A &amp; &quot;B&quot;'],
    ['{sign(<b>{userProvidedId}', '{sign(<b>&lt;u&gt;'],
  ])('%j becomes %j', (text, filled) => expect(html(text)).toBe(filled));
});

describe('a text that is not HTML', () => {
  test.each([
    ['{Full name}, {userProvidedId}', 'A & "B", <u>'],
    ['{sign({Full name})}', 'signed<A & "B">'],
    ['{sign({Full name}', '{sign(A & "B"'],
    ['a)}b', 'a)}b'],
  ])('%j becomes %j', (text, filled) => expect(fillPlaceholders(text, source)).toBe(filled));
});
