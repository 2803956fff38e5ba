import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Mail, toFailure } from '../../src/platform/mail.ts';
import { composeMime, headerText } from '../../src/platform/mime.ts';
import { headerOf, parseMail } from '../support/mime.ts';

const mail = (overrides: Partial<Mail> = {}): Mail => ({
  to: 'ada@example.com',
  from: { name: 'Müller & Söhne, "Tickets" <x@y.example>', address: 'passes@example.org' },
  replyTo: 'help@example.org',
  subject: 'Grüße 🎟️ für Ada – your pass for the longest evening of the year, with more words than a line holds',
  text: 'Zeile eins\n.\nFrom here on, “quotes” and 日本語\n'.repeat(3),
  html: `<p>${'ein sehr langes Wort '.repeat(200)}</p>`,
  messageId: '0198f000-0000-7000-8000-000000000000@example.org',
  ...overrides,
});

const parsed = async (overrides?: Partial<Mail>) => parseMail(composeMime(mail(overrides)));

describe('a mail', () => {
  test('is parsed without defects by an independent parser', async () => {
    const bytes = randomBytes(5_000);
    const attachments = [{ filename: 'pass.pkpass', type: 'application/vnd.apple.pkpass', bytes }];
    const read = await parsed({ attachments });
    expect(read).toMatchObject({ defects: [], bareLineEnds: 0, ascii: true });
    // RFC 5322 §2.1.1.
    expect(read.longestLine).toBeLessThanOrEqual(998);
    expect(read.structure).toEqual([
      'multipart/mixed',
      '  multipart/alternative',
      '    text/plain',
      '    text/html',
      '  application/vnd.apple.pkpass',
    ]);
    const [text, html, file] = read.parts;
    expect(text!.text!.replaceAll('\r\n', '\n').trim()).toBe(mail().text.trim());
    expect(html!.text!.trim()).toBe(mail().html);
    expect(file).toMatchObject({ disposition: 'attachment', filename: 'pass.pkpass' });
    expect(Buffer.from(file!.base64, 'base64').equals(bytes)).toBe(true);
  });

  test('has the headers that receivers expect, each once', async () => {
    const read = await parsed();
    expect(headerOf(read, 'Subject')).toBe(mail().subject);
    expect(headerOf(read, 'To')).toBe('ada@example.com');
    expect(headerOf(read, 'From')).toContain('<passes@example.org>');
    expect(headerOf(read, 'From')).toContain('Müller & Söhne');
    expect(headerOf(read, 'Reply-To')).toBe('help@example.org');
    expect(headerOf(read, 'Message-ID')).toBe(`<${mail().messageId}>`);
    expect(headerOf(read, 'Auto-Submitted')).toBe('auto-generated');
    expect(headerOf(read, 'MIME-Version')).toBe('1.0');
    expect(Math.abs(Date.parse(headerOf(read, 'Date')) - Date.now())).toBeLessThan(60_000);
  });

  test.each(['\r\nBcc: eve@example.com', '\nX-Evil: 1', '\r\n\r\n<script>', '\u2028Bcc: eve@example.com', '\u0000'])(
    'gets no header by a subject or a name with %j',
    async (evil) => {
      const from = { name: `Anna${evil}`, address: 'passes@example.org' };
      const read = await parsed({ subject: `Hello${evil}`, from });
      const names = read.headers.map(([name]) => name.toLowerCase()).sort();
      const plain = (await parsed()).headers.map(([name]) => name.toLowerCase()).sort();
      expect(names).toEqual(plain);
      expect(read.defects).toEqual([]);
      expect(headerOf(read, 'Subject')).toBe(headerText(`Hello${evil}`));
    },
  );

  test.each([
    ['plain words', 'Your pass is ready'],
    ['many words', 'a word and '.repeat(90).trim()],
    ['one long word', 'x'.repeat(998)],
    ['what looks encoded', 'Price =?utf-8?B?SGk=?= only'],
    ['quotes and backslashes', 'The "best" \\ day'],
    ['emoji', '🎟️👩‍👩‍👧‍👦'.repeat(40)],
  ])('keeps a subject and a name of %s', async (_, words) => {
    const read = await parsed({ subject: words, from: { name: words, address: 'passes@example.org' } });
    expect(headerOf(read, 'Subject')).toBe(words);
    expect(headerOf(read, 'From')).toMatch(/ <passes@example\.org>$/);
    expect(read).toMatchObject({ defects: [], ascii: true });
    expect(read.longestLine).toBeLessThanOrEqual(998);
  });

  test('keeps spaces at the ends of lines, and lines of any length', async () => {
    const text = ['ends with a space ', '\ttab\t', `=3D ${'日'.repeat(300)}`, 'y'.repeat(5_000), '', 'last'].join('\n');
    const read = await parsed({ text });
    expect(read.parts[0]!.text!.replaceAll('\r\n', '\n').trimEnd()).toBe(text);
    expect(read.longestLine).toBeLessThanOrEqual(76);
  });

  test('supports a file name and a domain in any script', async () => {
    const attachments = [{ filename: 'Paß (1)\r\nX: "é".pdf', type: 'application/pdf', bytes: new Uint8Array() }];
    const read = await parsed({ to: 'ada@müller.example', attachments });
    expect(headerOf(read, 'To')).toBe('ada@xn--mller-kva.example');
    expect(read.parts[2]).toMatchObject({ disposition: 'attachment', base64: '' });
    expect(read.parts[2]!.filename).toContain('Paß (1)');
    expect(read).toMatchObject({ defects: [], ascii: true });
  });

  test.each(['\r\nBcc: eve@example.com', '\n\n<script>', '\u2028X: 1'])(
    'gets no header by an address with %j before its @',
    async (evil) => {
      const address = `ada${evil}@example.com`;
      const read = await parsed({ to: address, replyTo: address, from: { name: 'Anna', address } });
      const names = read.headers.map(([name]) => name.toLowerCase()).sort();
      expect(names).toEqual((await parsed()).headers.map(([name]) => name.toLowerCase()).sort());
      expect(read.structure[0]).toBe('multipart/alternative');
    },
  );

  test('reads no file and fetches no address, whatever its texts say', async () => {
    const text = '/etc/passwd';
    const read = await parsed({ text, html: 'file:///etc/passwd' });
    expect(read.parts.map((part) => part.text!.trim())).toEqual([text, 'file:///etc/passwd']);
  });
});

describe('a rejection by the mail service', () => {
  test.each([
    ['E_RATE_LIMIT_EXCEEDED', 'unavailable'],
    ['E_DAILY_LIMIT_EXCEEDED', 'unavailable'],
    ['E_INTERNAL_SERVER_ERROR', 'unavailable'],
    ['E_SENDER_NOT_VERIFIED', 'unavailable'],
    ['ERR_OF_THE_RUNTIME', 'unavailable'],
    ['E_RECIPIENT_SUPPRESSED', 'refused'],
    ['E_VALIDATION_ERROR', 'refused'],
  ])('with %s makes the mail %s', (code, outcome) => {
    expect(toFailure(Object.assign(new Error('no'), { code }))).toMatchObject({ outcome });
    expect(toFailure(new Error(`${code}: no`))).toEqual({ outcome, reason: `${code}: no` });
  });
});
