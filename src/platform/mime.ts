import { randomUUID } from 'node:crypto';
import type { Mail, MailAttachment } from './mail.ts';

const encoder = new TextEncoder();

/** Maximum length of an encoded line (RFC 2045 §6.7 and §6.8). */
const LINE_CHARS_MAX = 76;
/** UTF-8 bytes per encoded word, so that a word after `Subject: ` ends before column 76 (RFC 2047 §2). */
const WORD_BYTES_MAX = 39;

/**
 * Composes an e-mail by RFC 5322 and MIME: both texts as alternatives, then attachments, with CRLF line endings and
 * only ASCII. Header texts lose line breaks and other control characters, so that nobody can inject a header.
 */
export function composeMime(mail: Mail): Uint8Array<ArrayBuffer> {
  const { to, from, replyTo, subject, text, html, messageId, attachments = [] } = mail;
  const headers = [
    folded('From', `${phrase(headerText(from.name))} <${asciiAddress(from.address)}>`.trimStart()),
    `To: ${asciiAddress(to)}`,
    ...(replyTo ? [`Reply-To: ${asciiAddress(replyTo)}`] : []),
    folded('Subject', unstructured(headerText(subject))),
    `Message-ID: <${messageId}>`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    // RFC 3834: asks other programs not to reply.
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
  ];
  const texts = multipart('alternative', [textPart('plain', text), textPart('html', html)]);
  const body = attachments.length === 0 ? texts : multipart('mixed', [texts, ...attachments.map(attachmentPart)]);
  return Buffer.from(`${headers.join('\r\n')}\r\n${body}\r\n`);
}

/** Returns a text as a single line without control characters, for headers. */
export function headerText(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

function multipart(subtype: string, parts: string[]): string {
  // A line of quoted-printable or base64 can't contain "=_" (RFC 2045 §6.7).
  const boundary = `=_${randomUUID()}`;
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('');
  return `Content-Type: multipart/${subtype};\r\n boundary="${boundary}"\r\n\r\n${body}--${boundary}--`;
}

function textPart(subtype: string, text: string): string {
  const type = `Content-Type: text/${subtype}; charset=utf-8`;
  return `${type}\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${quotedPrintable(text)}`;
}

function attachmentPart({ filename, type, bytes }: MailAttachment): string {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  const lines = body.match(/.{1,76}/g) ?? [];
  return [
    `Content-Type: ${type}`,
    `Content-Disposition: attachment; ${fileParameter(filename)}`,
    'Content-Transfer-Encoding: base64',
    '',
    ...lines,
  ].join('\r\n');
}

/** By RFC 2183, and RFC 2231 for a name that isn't plain. */
function fileParameter(filename: string): string {
  if (/^[\w.-]{1,60}$/.test(filename)) return `filename="${filename}"`;
  const encoded = encodeURIComponent(filename).replace(/['()*]/g, (char) => `%${hexOf(char.charCodeAt(0))}`);
  return `filename*=utf-8''${encoded}`;
}

const hexOf = (byte: number) => byte.toString(16).toUpperCase().padStart(2, '0');

/** Encodes by RFC 2045 §6.7 and keeps the line breaks of the text. */
function quotedPrintable(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => softBroken(line))
    .join('\r\n');
}

function softBroken(line: string): string {
  const bytes = encoder.encode(line);
  let out = '';
  let length = 0;
  for (const [i, byte] of bytes.entries()) {
    const isLast = i === bytes.length - 1;
    const isPlain = (byte > 0x20 && byte < 0x7f && byte !== 0x3d) || ((byte === 0x20 || byte === 0x09) && !isLast);
    const token = isPlain ? String.fromCharCode(byte) : `=${hexOf(byte)}`;
    // The last column is reserved for the soft break.
    if (length + token.length > LINE_CHARS_MAX - 1) {
      out += '=\r\n';
      length = 0;
    }
    out += token;
    length += token.length;
  }
  return out;
}

/** ASCII text whose words fit on a line. Text that looks like an encoded word must be encoded. */
const isPlainText = (text: string) => /^[\x20-\x7e]*$/.test(text) && !/=\?|\S{61}/.test(text);

function unstructured(text: string): string {
  return isPlainText(text) ? text : encodedWords(text);
}

/** Formats the display name of an address (RFC 5322 §3.4). */
function phrase(name: string): string {
  if (name === '') return '';
  return isPlainText(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : encodedWords(name);
}

/** Encodes by RFC 2047, in words of whole characters. Spaces between the words don't count. */
function encodedWords(text: string): string {
  const words: string[] = [];
  let word = '';
  for (const char of text) {
    if (encoder.encode(word + char).length > WORD_BYTES_MAX) {
      words.push(word);
      word = '';
    }
    word += char;
  }
  return [...words, word].map((one) => `=?utf-8?B?${Buffer.from(one).toString('base64')}?=`).join(' ');
}

/** Folds a header at spaces where a word would exceed the line (RFC 5322 §2.2.3). */
function folded(name: string, value: string): string {
  const [first = '', ...words] = value.split(' ');
  let out = `${name}: ${first}`;
  let length = out.length;
  for (const [i, word] of words.entries()) {
    // A line can't consist only of spaces.
    const breaks = length + 1 + word.length > LINE_CHARS_MAX && words.slice(i).some((rest) => rest !== '');
    out += breaks && word !== '' ? `\r\n ${word}` : ` ${word}`;
    length = breaks && word !== '' ? 1 + word.length : length + 1 + word.length;
  }
  return out;
}

/** Removes everything that could end a header, and converts domains in other scripts to Punycode. */
function asciiAddress(text: string): string {
  const address = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, '');
  if (/^[\x21-\x7e]*$/.test(address)) return address;
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${new URL(`http://${address.slice(at + 1)}`).hostname}`;
}
