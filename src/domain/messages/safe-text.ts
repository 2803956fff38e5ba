import { escapeHtml } from '../../platform/text.ts';
import { unlinked } from '../../platform/unlinked.ts';

/** Text of a mail of the service, in both forms of the mail. Only what the code marks with `link` is a link. */
export interface SafeText {
  plain: string;
  html: string;
}

/** Returns words of the service, which contain no value that a person chose. */
export function ownWords(text: string): SafeText {
  return { plain: text, html: escapeHtml(text) };
}

/** Returns an address of the service as a link. */
export function link(url: string): SafeText {
  const escaped = escapeHtml(url);
  return { plain: url, html: `<a href="${escaped}">${escaped}</a>` };
}

/** Template tag for words of the service with values. A string can be the choice of a person, so it never is a link. */
export function safeText(words: TemplateStringsArray, ...values: (string | number | SafeText)[]): SafeText {
  const parts = words.flatMap((word, i) => [ownWords(word), ...values.slice(i, i + 1).map(toSafeText)]);
  return {
    plain: parts.map(({ plain }) => plain).join(''),
    html: parts.map(({ html }) => html).join(''),
  };
}

function toSafeText(value: string | number | SafeText): SafeText {
  return typeof value === 'object' ? value : ownWords(unlinked(String(value)));
}
