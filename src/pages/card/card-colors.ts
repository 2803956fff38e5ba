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
export function cardColorsCss(card: Pick<Card, 'id' | 'colors'>, look: WalletLook = 'apple'): string {
  // Google Wallet takes the background alone, and writes in black or white on it.
  const { backgroundColor } = card.colors;
  const { background, foreground, label } = cardColors(look === 'google' ? { backgroundColor } : card.colors);
  return `.${cardClass(card)}{--card-background:${background};--card-foreground:${foreground};--card-label:${label}}`;
}
