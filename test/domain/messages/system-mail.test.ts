import { expect, test } from 'vitest';
import { link, safeText, systemMail } from '../../../src/domain/messages/system-mail.ts';

const ctx = { baseUrl: 'https://passes.example' };
const PAGE = 'https://passes.example/console?a=1&b=2';
const CONTENT = {
  subject: safeText`Quota <used> up`,
  lines: [safeText`Your account has used ${1} & ${'2'}.`, safeText`See ${link(PAGE)}.`],
  facts: [['Account', 'Café <Nord>']] as [string, string][],
  button: { label: 'Sign in', url: 'https://passes.example/console/sign-in?token=a&b' },
  notes: [safeText`Ignore this e-mail.`],
};

test('a mail of the service has the same content in both forms, and names the service', () => {
  const { to, subject, text, html } = systemMail(ctx, 'ada@example.com', CONTENT);
  expect([to, subject]).toEqual(['ada@example.com', 'Quota <used> up']);
  expect(text.split('\n\n')).toEqual([
    'Your account has used 1 & 2.',
    `See ${PAGE}.`,
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
  const { text } = systemMail({ baseUrl: '' }, 'ada@example.com', { subject: safeText`x`, lines: [safeText`y`] });
  expect(text).toBe('y\n\n-- \nPass wallet service\n');
});

/** Names that mail clients would turn into links. */
const ADDRESSES = [
  'https://evil.example/login',
  'HTTP://EVIL.EXAMPLE',
  'evil.example',
  'www.evil.example/a',
  'evil。example',
  'ada@evil.example',
  'mailto:ada',
  'file://server/share',
  '\\\\server\\share',
  '192.0.2.1',
  'https://passes.example/console',
];

test.each(ADDRESSES)('the name %j is readable in a mail of the service, and never a link or an address', (name) => {
  const { subject, text, html } = systemMail(ctx, 'ada@example.com', {
    subject: safeText`Welcome to ${name}`,
    lines: [safeText`You are a member of “${name}”.`],
    facts: [['Account', name]],
    notes: [safeText`Ask ${name}.`],
  });
  expect(html).not.toContain('<a');
  for (const form of [subject, text, html]) {
    expect(form).not.toContain(name);
    expect(form).not.toMatch(/:\/\/|[a-z0-9][.。@][a-z0-9]+[.。@]?[a-z]*\/|mailto:[a-z]|\\\\/i);
    expect(form.replaceAll('\u200b', '')).toContain(name);
  }
});

test.each([['Café & Co. KG'], ['Team: Nord'], ['A/B (09:10)'], ['St. Gallen'], ['Inc.']])(
  'the name %j is unchanged in a mail of the service',
  (name) => {
    const mail = systemMail(ctx, 'a@example.com', { subject: safeText`${name}`, lines: [safeText`${name}`] });
    expect([mail.subject, mail.text.split('\n')[0]]).toEqual([name, name]);
  },
);

test('a name with line breaks adds no line to a mail of the service, and none to its subject', () => {
  const name = 'Café\r\n\r\nYour password has expired.\u2028Call us.';
  const { subject, text, html } = systemMail(ctx, 'a@example.com', {
    subject: safeText`Welcome to ${name}`,
    lines: [safeText`You are a member of ${name}`],
    facts: [['Account', name]],
  });
  const single = 'Café Your password has expired. Call us.';
  expect(subject).toBe(`Welcome to ${single}`);
  expect(text.split('\n\n').slice(0, 2)).toEqual([`You are a member of ${single}`, `Account: ${single}`]);
  expect(html).toContain(`<p>You are a member of ${single}</p>`);
});
