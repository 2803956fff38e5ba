import { createHash } from 'node:crypto';

/** A stylesheet under an address that changes with its content, so that it can be cached for ever. */
export interface Stylesheet {
  /** Absolute path: `/assets/<name>.<hash>.css`. */
  path: string;
  text: string;
}

const HASH_CHARS = 12;

/** For addresses whose content never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Joins style texts in the given order into one stylesheet; the address carries the start of their SHA-256. */
export function stylesheet(name: string, parts: string[]): Stylesheet {
  const text = parts.join('\n');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARS);
  return { path: `/assets/${name}.${hash}.css`, text };
}

/** The reply with a stylesheet, for a route at its `path`. */
export function stylesheetReply({ text }: Stylesheet): Response {
  return new Response(text, {
    headers: {
      'Content-Type': 'text/css; charset=utf-8',
      'Cache-Control': IMMUTABLE,
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
