import { TOKEN_MARK } from '../../events/token-mark.ts';
import { type LinkedPass, pagePath, pathOfPage } from '../page/links.ts';
import type { LinkContext } from './placeholders.ts';

/* Texts that are filled once and stored, such as pushes, contain the page link without its token. */

/** Returns the text of a pass in stored form, with a mark in place of its page token. */
export function withoutToken({ env }: LinkContext, pass: LinkedPass, text: string): string {
  if (!text.includes(pathOfPage(''))) return text;
  return text.replaceAll(pagePath(env, pass), pathOfPage(TOKEN_MARK));
}

/** Returns a stored text with the current link of the pass. */
export function withToken({ env }: LinkContext, pass: LinkedPass, text: string): string {
  const marked = pathOfPage(TOKEN_MARK);
  return text.includes(marked) ? text.replaceAll(marked, pagePath(env, pass)) : text;
}
