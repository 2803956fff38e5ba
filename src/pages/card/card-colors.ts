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
  const { background, foreground, label } = cardColors(colorsIn(card, look));
  const footer = look === 'posterEventTicket' ? footerCss(card.colors) : '';
  return `.${cardClass(card)}{--card-background:${background};--card-foreground:${foreground};--card-label:${label}${footer}}`;
}

function colorsIn({ colors, apple }: Pick<Card, 'colors' | 'apple'>, look: WalletLook): Card['colors'] {
  const { backgroundColor } = colors;
  // Google Wallet takes the background alone, and writes in black or white on it.
  if (look === 'google') return { backgroundColor };
  // With automatic colors a poster takes them from its artwork, which is nowhere looked at: so black or white.
  const isAutomatic = look === 'posterEventTicket' && apple?.members.useAutomaticColors === true;
  return isAutomatic ? { backgroundColor } : colors;
}

/** The strip at the end of a poster event ticket has a color of its own, on which the texts have to be read, too. */
function footerCss(colors: Card['colors']): string {
  const { footerBackgroundColor } = colors;
  if (!footerBackgroundColor) return '';
  const { background, foreground, label } = cardColors({ ...colors, backgroundColor: footerBackgroundColor });
  return `;--footer-background:${background};--footer-foreground:${foreground};--footer-label:${label}`;
}
