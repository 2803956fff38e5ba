import { escapeHtml } from './text.ts';

const URL_PATTERN = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]]/g;

/**
 * Converts plain text to HTML: empty lines separate paragraphs, other line breaks remain, and web addresses become
 * links.
 */
export function textToHtml(text: string): string {
  const paragraphs = text.trim().split(/\n[^\S\n]*\n\s*/);
  return paragraphs.map((lines) => `<p>${linked(lines).replaceAll('\n', '<br>\n')}</p>`).join('\n');
}

function linked(text: string): string {
  let html = '';
  let at = 0;
  for (const match of text.matchAll(URL_PATTERN)) {
    const url = escapeHtml(match[0]);
    html += `${escapeHtml(text.slice(at, match.index))}<a href="${url}">${url}</a>`;
    at = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(at));
}
