import type { Context } from 'hono';
import { accepts } from 'hono/accepts';

/** Returns whether the caller is a browser. Programs don't ask for HTML. */
export function asksForHtml(c: Context): boolean {
  const asked = accepts(c, {
    header: 'Accept',
    supports: ['application/json', 'text/html'],
    default: 'application/json',
  });
  return asked === 'text/html';
}
