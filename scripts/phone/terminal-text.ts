import { stripVTControlCharacters, styleText } from 'node:util';

/*
 * Text on a terminal. Text from passes is cleaned first, so that no pass can move the cursor or color the screen.
 */

/** Characters that terminals draw two columns wide: East Asian wide and full-width ones, and most emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const segments = new Intl.Segmenter();

/** Returns one line of plain text, without control characters. */
export function clean(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
}

/** Returns the columns a text takes, ignoring colors. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segments.segment(stripVTControlCharacters(text))) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Fits text to exactly `width` columns: pads with spaces, or truncates with an ellipsis. */
export function inColumns(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const missing = width - widthOf(text);
  if (missing >= 0) return side === 'left' ? text + ' '.repeat(missing) : ' '.repeat(missing) + text;
  let kept = '';
  for (const { segment } of segments.segment(text)) {
    if (widthOf(kept + segment) >= width) break;
    kept += segment;
  }
  return inColumns(`${kept}…`, width, side);
}

/** Wraps text to at most `width` columns between words. A longer word gets its own line and is truncated. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(widthOf(word) > width ? inColumns(word, width) : word);
  }
  return lines;
}

/** Applies a style of `node:util` if the stream supports styles (NO_COLOR, FORCE_COLOR, terminal or not). */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

export function painter(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

/** Colors text in 24 bits; `rgb(r, g, b)` as in pass.json. Returns plain text where colors aren't supported. */
export function inColors(text: string, colors: { front?: string; back?: string }): string {
  const [front, back] = [colors.front, colors.back].map(partsOf);
  const codes = [...(front ? [`38;2;${front}`] : []), ...(back ? [`48;2;${back}`] : [])];
  return codes.length > 0 ? `\u001b[${codes.join(';')}m${text}\u001b[0m` : text;
}

function partsOf(color: string | undefined): string | undefined {
  return /^rgb\((\d+), *(\d+), *(\d+)\)$/
    .exec(color ?? '')
    ?.slice(1)
    .join(';');
}
