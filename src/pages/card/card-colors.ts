import type { Card } from '../../domain/passes/card/card.ts';
import { mix, parseHex, readable, strongestOn, toHex, WHITE } from '../colors.ts';
import type { WalletLook } from './drawing.ts';

/** The three colors of a card as `#rrggbb`; both text colors are readable on the background. */
interface CardColors {
  background: string;
  foreground: string;
  label: string;
}

/**
 * Returns the colors to draw a card with. Missing colors get defaults that suit the background. A color that is
 * unreadable on the background moves toward black or white until it is readable.
 */
export function cardColors(colors: Card['colors']): CardColors {
  const background = parseHex(colors.backgroundColor) ?? WHITE;
  const strongest = strongestOn(background);
  const foreground = readable(parseHex(colors.foregroundColor) ?? strongest, background);
  const label = readable(parseHex(colors.labelColor) ?? mix(foreground, background, 0.3), background);
  return { background: toHex(background), foreground: toHex(foreground), label: toHex(label) };
}

/** Returns the class that connects a drawn card with its rule from `cardColorsCss`. */
export const cardClass = (card: Pick<Card, 'id'>): string => `card-${card.id.replace(/[^\w-]/g, '')}`;

/** Returns one CSS rule with the card's colors as custom properties, for the page's own `<style>`. */
export function cardColorsCss(card: Pick<Card, 'id' | 'colors' | 'apple'>, look: WalletLook = 'apple'): string {
  const colors = colorsIn(card, look);
  const { background, foreground, label } = cardColors(colors);
  const strip = look === 'posterEventTicket' || look === 'posterGeneric' ? stripCss(colors, look) : '';
  return `.${cardClass(card)}{--card-background:${background};--card-foreground:${foreground};--card-label:${label}${strip}}`;
}

function colorsIn({ colors, apple }: Pick<Card, 'colors' | 'apple'>, look: WalletLook): Card['colors'] {
  const { backgroundColor, footerBackgroundColor } = colors;
  // Google Wallet takes only the background, and writes on it in black or white.
  if (look === 'google') return { backgroundColor };
  // Wallet derives automatic colors from the artwork. The preview doesn't analyze images, so it uses black or white.
  const isAutomatic = look === 'posterEventTicket' && apple?.members.useAutomaticColors === true;
  return isAutomatic ? { backgroundColor, footerBackgroundColor } : colors;
}

/** Share of the text color in a poster's strip that has no color of its own. */
const STRIP_SHARE = 0.14;

/** Returns the colors of a poster's strip, with readable texts. Only event tickets can set the strip's color. */
function stripCss(colors: Card['colors'], look: WalletLook): string {
  const { background, foreground } = cardColors(colors);
  const own = look === 'posterEventTicket' ? colors.footerBackgroundColor : undefined;
  const material = toHex(mix(parseHex(background)!, parseHex(foreground)!, STRIP_SHARE));
  const strip = cardColors({ ...colors, backgroundColor: own ?? material });
  return `;--strip-background:${strip.background};--strip-foreground:${strip.foreground};--strip-label:${strip.label}`;
}
