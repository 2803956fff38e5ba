import { TOKEN_MARK } from '../../events/token-mark.ts';
import type { LinkedPass } from '../page/links.ts';
import { pagePath, pathOfPage } from '../page/links.ts';
import type { LinkContext } from './placeholders.ts';

/* Texts that are filled once and stored, such as pushes, have the link of the page without its token. */

/** The text of a pass as it may be stored: a mark stands in place of the token of its page. */
export function withoutToken({ env }: LinkContext, pass: LinkedPass, text: string): string {
  if (!text.includes(pathOfPage(''))) return text;
  return text.replaceAll(pagePath(env, pass), pathOfPage(TOKEN_MARK));
}

/** A stored text with the link that the pass has now. */
export function withToken({ env }: LinkContext, pass: LinkedPass, text: string): string {
  const marked = pathOfPage(TOKEN_MARK);
  return text.includes(marked) ? text.replaceAll(marked, pagePath(env, pass)) : text;
}
