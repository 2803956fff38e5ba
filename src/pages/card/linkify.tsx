import type { Child } from 'hono/jsx';
import type { Card, CardField } from '../../domain/passes/card/card.ts';
import { fieldText, type Reading, translated } from './field-text.ts';

/**
 * Web addresses, email addresses (also as `mailto:`), `tel:` and international phone numbers. The part before an `@` is
 * matched only at its start, so a long text without an `@` is scanned once.
 */
const LINK_PATTERN =
  /https?:\/\/[^\s<>"]+|(?<![\w.+-])(?:mailto:)?[\w.+-]+@[\w-]+(?:\.[\w-]+)+|tel:\+?[\d()/.-]{5,}|\+\d[\d ()/.-]{5,}\d/gi;
const SAFE_SCHEMES = ['http:', 'https:', 'mailto:', 'tel:'];

/** Returns the address if a page may link to it, else undefined. */
function safeHref(address: string): string | undefined {
  const url = URL.parse(address.trim());
  return url && SAFE_SCHEMES.includes(url.protocol) ? url.href : undefined;
}

/** A link to an address on a card. The target site doesn't learn the page's address. */
export function OutsideLink({ href, children }: { href: string; children: Child }) {
  return (
    <a href={href} rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** A text with its addresses and phone numbers as links. */
export function Linkified({ text }: { text: string }) {
  const parts: Child[] = [];
  let end = 0;
  for (const match of text.matchAll(LINK_PATTERN)) {
    const found = withoutTail(match[0]);
    const href = safeHref(addressOf(found));
    if (!href) continue;
    parts.push(
      text.slice(end, match.index),
      <OutsideLink href={href}>{found.replace(/^(mailto|tel):/i, '')}</OutsideLink>,
    );
    end = match.index + found.length;
  }
  parts.push(text.slice(end));
  return <>{parts}</>;
}

const PUNCTUATION = ".,;:!?'*";

/** Removes the punctuation that ends the sentence, and a closing bracket around the address. */
function withoutTail(address: string): string {
  const opening = address.indexOf('(');
  let end = address.length;
  const closes = () => address[end - 1] === ')' && (opening < 0 || opening >= end);
  while (end > 0 && (PUNCTUATION.includes(address[end - 1]!) || closes())) end -= 1;
  return address.slice(0, end);
}

function addressOf(found: string): string {
  if (/^(https?|mailto|tel):/i.test(found)) return found;
  return found.includes('@') ? `mailto:${found}` : `tel:${found.replace(/[^\d+]/g, '')}`;
}

/** Returns the fields that have a text. */
export function shownFields(fields: CardField[], reading: Reading): { label: string; text: string }[] {
  return fields
    .map((field) => ({ label: translated(field.label, reading), text: fieldText(field, reading) }))
    .filter(({ text }) => text !== '');
}

/** A link of a pass that a page may link to. `address` is shown in place of an empty `label`. */
interface ShownLink {
  href: string;
  address: string;
  label: string;
}

export function shownLinks({ links }: Pick<Card, 'links'>, reading: Reading): ShownLink[] {
  return links.flatMap(({ label, url }) => {
    const href = safeHref(url);
    return href ? [{ href, address: href.replace(/^\w+:(\/\/)?/, ''), label: translated(label, reading) }] : [];
  });
}
