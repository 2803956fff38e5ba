import type { Card } from '../../domain/passes/card.ts';

/** Contrast of text that WCAG 2.2 AA asks for (success criterion 1.4.3). */
const TEXT_CONTRAST_MIN = 4.5;
const MIX_STEPS = 10;

type Rgb = [number, number, number];

/** The three colors of a card as `#rrggbb`; both text colors are readable on the background. */
export interface CardColors {
  background: string;
  foreground: string;
  label: string;
}

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/**
 * The colors to draw a card with. Absent colors get defaults that suit the background; a color that could not be read on it moves
 * towards black or white until it can.
 */
export function cardColors(colors: Card['colors']): CardColors {
  const background = parseHex(colors.backgroundColor) ?? WHITE;
  const strongest = contrast(BLACK, background) >= contrast(WHITE, background) ? BLACK : WHITE;
  const foreground = readable(parseHex(colors.foregroundColor) ?? strongest, background, strongest);
  const label = readable(parseHex(colors.labelColor) ?? mix(foreground, background, 0.3), background, strongest);
  return { background: toHex(background), foreground: toHex(foreground), label: toHex(label) };
}

/** The class that ties a drawn card to its rule from `cardColorsCss`. */
export function cardClass(card: Pick<Card, 'id'>): string {
  return `card-${card.id.replace(/[^\w-]/g, '')}`;
}

/** One rule with the card's colors as custom properties, for a page's own `<style>`; several cards are joined by the caller. */
export function cardColorsCss(card: Pick<Card, 'id' | 'colors'>): string {
  const { background, foreground, label } = cardColors(card.colors);
  return `.${cardClass(card)}{--card-background:${background};--card-foreground:${foreground};--card-label:${label}}`;
}

/** Contrast ratio of two `#rrggbb` colors, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastRatio(a: string, b: string): number {
  return contrast(parseHex(a) ?? BLACK, parseHex(b) ?? WHITE);
}

function readable(color: Rgb, background: Rgb, strongest: Rgb): Rgb {
  for (let step = 0; step < MIX_STEPS; step += 1) {
    const candidate = mix(color, strongest, step / MIX_STEPS);
    if (contrast(candidate, background) >= TEXT_CONTRAST_MIN) return candidate;
  }
  return strongest;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  return from.map((part, i) => Math.round(part + (to[i]! - part) * share)) as Rgb;
}

function contrast(a: Rgb, b: Rgb): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Relative luminance as WCAG 2.2 defines it for sRGB. */
function luminance(color: Rgb): number {
  const [r, g, b] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function parseHex(color: string | undefined): Rgb | undefined {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color ?? '');
  return match ? (match.slice(1).map((part) => Number.parseInt(part, 16)) as Rgb) : undefined;
}

function toHex(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
