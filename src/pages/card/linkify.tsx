import type { Child } from 'hono/jsx';

/**
 * Web addresses, email addresses (also as `mailto:`), `tel:` and international telephone numbers. The text before an
 * `@` is only looked for where it begins, so that a long one without an `@` is read once.
 */
const LINK_PATTERN =
  /https?:\/\/[^\s<>"]+|(?<![\w.+-])(?:mailto:)?[\w.+-]+@[\w-]+(?:\.[\w-]+)+|tel:\+?[\d()/.-]{5,}|\+\d[\d ()/.-]{5,}\d/gi;
const SAFE_SCHEMES = ['http:', 'https:', 'mailto:', 'tel:'];

/** The address when it is one that a page may link to, else undefined. */
export function safeHref(address: string): string | undefined {
  const url = URL.parse(address.trim());
  return url && SAFE_SCHEMES.includes(url.protocol) ? url.href : undefined;
}

/** A link to an address of a card; a site of somebody else learns nothing of the page that it was followed from. */
export function OutsideLink({ href, children }: { href: string; children: Child }) {
  return (
    <a href={href} rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** A text with the addresses and telephone numbers in it as links. */
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

/** Without the punctuation that ends the sentence, or the bracket that closes around the address. */
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
