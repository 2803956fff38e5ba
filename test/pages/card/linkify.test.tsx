import { describe, expect, test } from 'vitest';
import { Linkified } from '../../../src/pages/card/linkify.tsx';

const shown = (text: string) => (<Linkified text={text} />).toString();
const addresses = (text: string) => [...shown(text).matchAll(/href="([^"]*)"/g)].map(([, href]) => href);

describe('a text of a card', () => {
  test.each([
    [
      'See https://example.com/a?b=1, or (https://example.org/c).',
      ['https://example.com/a?b=1', 'https://example.org/c'],
    ],
    ['https://example.com/wiki/A_(b)', ['https://example.com/wiki/A_(b)']],
    ['Mail ada.l+x@example.co.uk! mailto:bob@example.com', ['mailto:ada.l+x@example.co.uk', 'mailto:bob@example.com']],
    ['Call +43 (1) 234-56 or tel:0800123', ['tel:+43123456', 'tel:0800123']],
    ['nothing@ @here a.b +1', []],
    [`${'.'.repeat(9)}https://example.com/${'.)'.repeat(9)}`, ['https://example.com/']],
  ])('%j links to %j', (text, expected) => expect(addresses(text)).toEqual(expected));

  test('of 100,000 characters keeps all of them', () => {
    for (const piece of ['a', 'a@', 'a.', '+1 ', 'http://', 'x)', '"', '<', 'https://a.)', 'mailto:']) {
      const text = piece.repeat(100_000 / piece.length);
      const words = shown(text)
        .replace(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&');
      expect(words.length).toBeGreaterThan(text.length * 0.2);
    }
  });
});
