import { describe, expect, test } from 'vitest';
import { textToHtml } from '../../../src/platform/text-to-html.ts';
import { htmlToText, isHtml, isHtmlDocument } from '../../../src/wallets/messages/mail-text.ts';

describe('a template', () => {
  test.each(['<p>Hello', 'a<br>b', 'a<br/>b', '<!DOCTYPE html>', '<a href="x">y</a>', '</div>', '<!-- x -->'])(
    '%j is HTML',
    (text) => expect(isHtml(text)).toBe(true),
  );
  test.each(['Hello', '1 < 2 and 3 > 2', 'a<b', '<ada@example.com>', 'dear <friend>', 'I <3 you', '{Full name}'])(
    '%j is text',
    (text) => expect(isHtml(text)).toBe(false),
  );
  test('is a document if it has its own frame', () => {
    expect(isHtmlDocument('<html><body>')).toBe(true);
    expect(isHtmlDocument('<BODY class="x">')).toBe(true);
    expect(isHtmlDocument('<p>body</p>')).toBe(false);
  });
});

describe('a text as HTML', () => {
  test('keeps lines and paragraphs, escapes, and links addresses', () => {
    expect(textToHtml('Hi <Ada> & "co",\nsee https://x.example/a?b=1&c=2.\n\n\nBye\n')).toBe(
      '<p>Hi &lt;Ada&gt; &amp; &quot;co&quot;,<br>\nsee <a href="https://x.example/a?b=1&amp;c=2">https://x.example/a?b=1&amp;c=2</a>.</p>\n<p>Bye</p>',
    );
  });
  test('links only web addresses', () => {
    expect(textToHtml('javascript:alert(1) data:text/html,x')).not.toContain('<a');
  });
});

describe('HTML as a text', () => {
  test.each([
    ['<h1>Hello</h1><p>Your pass:</p><ul><li>one</li><li>two</li></ul>', 'Hello\n\nYour pass:\n\n- one\n- two'],
    [
      '<p>See <a href="https://x.example/?a=1&amp;b=2">the <b>page</b></a></p>',
      'See the page (https://x.example/?a=1&b=2)',
    ],
    ['<a href="https://x.example">https://x.example</a>', 'https://x.example'],
    ['<style>p{color:red}</style><script>alert(1)</script><!-- no -->yes', 'yes'],
    ['Gr&uuml;&szlig;e &#8364; &#x1F39F; &amp;lt; &unknown; &constructor;', 'Grüße € 🎟 &lt; &unknown; &constructor;'],
    ['a<br>b<br />c', 'a\nb\nc'],
    ['<img src="x" alt="Logo"> <img src="y">', 'Logo'],
    ['  <div>\n  a\n  b  </div>\n\n\n<div>c</div>', 'a b\nc'],
    ['&lt;script&gt;', '<script>'],
  ])('%j reads %j', (html, text) => expect(htmlToText(html)).toBe(text));

  test.each(['<a href=', '<a ', '<!--', '<style>', '<img alt="', '&', '<', '<a href="x">'])(
    'that is never closed, %j many times, takes linear time',
    (piece) => expect(htmlToText(piece.repeat(60_000)).length).toBeLessThanOrEqual(piece.length * 60_000),
  );
});
