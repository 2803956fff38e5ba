import type { Context } from 'hono';
import { accepts } from 'hono/accepts';

/** Whether a person asks, by a browser; programs ask for no HTML. */
export function asksForHtml(c: Context): boolean {
  const asked = accepts(c, {
    header: 'Accept',
    supports: ['application/json', 'text/html'],
    default: 'application/json',
  });
  return asked === 'text/html';
}
