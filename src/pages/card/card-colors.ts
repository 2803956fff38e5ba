import type { Card } from '../../domain/passes/card/card.ts';
import { mix, parseHex, readable, strongestOn, toHex, WHITE } from '../colors.ts';
import type { WalletLook } from './drawing.ts';

/** The three colors of a card as `#rrggbb`; both text colors are readable on the background. */
export interface CardColors {
  background: string;
  foreground: string;
  label: string;
}

/**
 * The colors to draw a card with. Absent colors get defaults that suit the background; a color that could not be read
 * on it moves towards black or white until it can.
 */
export function cardColors(colors: Card['colors']): CardColors {
  const background = parseHex(colors.backgroundColor) ?? WHITE;
  const strongest = strongestOn(background);
  const foreground = readable(parseHex(colors.foregroundColor) ?? strongest, background);
  const label = readable(parseHex(colors.labelColor) ?? mix(foreground, background, 0.3), background);
  return { background: toHex(background), foreground: toHex(foreground), label: toHex(label) };
}

/** The class that ties a drawn card to its rule from `cardColorsCss`. */
export function cardClass(card: Pick<Card, 'id'>): string {
  return `card-${card.id.replace(/[^\w-]/g, '')}`;
}

/**
 * One rule with the card's colors as custom properties, for a page's own `<style>`; several cards are joined by the
 * caller.
 */
export function cardColorsCss(card: Pick<Card, 'id' | 'colors' | 'apple'>, look: WalletLook = 'apple'): string {
  const colors = colorsIn(card, look);
  const { background, foreground, label } = cardColors(colors);
  const strip = look === 'posterEventTicket' || look === 'posterGeneric' ? stripCss(colors, look) : '';
  return `.${cardClass(card)}{--card-background:${background};--card-foreground:${foreground};--card-label:${label}${strip}}`;
}

function colorsIn({ colors, apple }: Pick<Card, 'colors' | 'apple'>, look: WalletLook): Card['colors'] {
  const { backgroundColor, footerBackgroundColor } = colors;
  // Google Wallet takes the background alone, and writes in black or white on it.
  if (look === 'google') return { backgroundColor };
  // With automatic colors a poster takes them from its artwork, which nobody looks into here: so black or white.
  const isAutomatic = look === 'posterEventTicket' && apple?.members.useAutomaticColors === true;
  return isAutomatic ? { backgroundColor, footerBackgroundColor } : colors;
}

/** How much of the text's color is in the strip at the end of a poster that has no color of its own. */
const STRIP_SHARE = 0.14;

/** The strip of a poster, on which the texts have to be read, too; tickets may give it a color. */
function stripCss(colors: Card['colors'], look: WalletLook): string {
  const { background, foreground } = cardColors(colors);
  const own = look === 'posterEventTicket' ? colors.footerBackgroundColor : undefined;
  const material = toHex(mix(parseHex(background)!, parseHex(foreground)!, STRIP_SHARE));
  const strip = cardColors({ ...colors, backgroundColor: own ?? material });
  return `;--strip-background:${strip.background};--strip-foreground:${strip.foreground};--strip-label:${strip.label}`;
}
