import { expect, test } from 'vitest';
import { systemMail } from '../../../src/domain/messages/system-mail.ts';

const ctx = { baseUrl: 'https://passes.example' };
const CONTENT = {
  subject: 'Quota <used> up',
  lines: ['Your account has used 1 & 2.', 'See https://passes.example/console?a=1&b=2.'],
  facts: [['Account', 'Café <Nord>']] as [string, string][],
  button: { label: 'Sign in', url: 'https://passes.example/console/sign-in?token=a&b' },
  notes: ['Ignore this e-mail.'],
};

test('a mail of the service has the same content in both forms, and names the service', () => {
  const { to, subject, text, html } = systemMail(ctx, 'ada@example.com', CONTENT);
  expect([to, subject]).toEqual(['ada@example.com', CONTENT.subject]);
  expect(text.split('\n\n')).toEqual([
    ...CONTENT.lines,
    'Account: Café <Nord>',
    'Sign in:\nhttps://passes.example/console/sign-in?token=a&b',
    'Ignore this e-mail.',
    '-- \nPass wallet service · passes.example\n',
  ]);
  expect(html).toContain('<p>Your account has used 1 &amp; 2.</p>');
  const url = 'https://passes.example/console?a=1&amp;b=2';
  expect(html).toContain(`<p>See <a href="${url}">${url}</a>.</p>`);
  expect(html).toContain('Account: <b>Café &lt;Nord&gt;</b>');
  expect(html).toMatch(/<a class="button" href="https:..passes.example.console.sign-in.token=a&amp;b"/);
  expect(html).toContain('<p>Ignore this e-mail.</p>');
  expect(html).toContain('Pass wallet service · passes.example');
});

test('a mail of the service adapts to dark mode, names its language and loads nothing', () => {
  const { html } = systemMail(ctx, 'ada@example.com', CONTENT);
  expect(html).toContain('<html lang="en">');
  expect(html).toContain('<meta name="color-scheme" content="light dark">');
  expect(html).toContain('@media (prefers-color-scheme: dark)');
  expect(html).not.toMatch(/<img|<link|<script|url\(|@import/i);
});

test('a mail of a service without an address has no host', () => {
  const { text } = systemMail({ baseUrl: '' }, 'ada@example.com', { subject: 'x', lines: ['y'] });
  expect(text).toBe('y\n\n-- \nPass wallet service\n');
});
