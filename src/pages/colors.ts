/** Minimum contrast of text in WCAG 2.2 AA (success criterion 1.4.3). */
const TEXT_CONTRAST_MIN = 4.5;
const MIX_STEPS = 10;

/** Red, green and blue, 0 to 255 each. */
type Rgb = [number, number, number];

const BLACK: Rgb = [0, 0, 0];
export const WHITE: Rgb = [255, 255, 255];

/** Returns the contrast ratio of two `#rrggbb` colors, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export const contrastRatio = (a: string, b: string): number => contrast(parseHex(a) ?? BLACK, parseHex(b) ?? WHITE);

/** Returns black or white, whichever has the higher contrast on the background. */
export function strongestOn(background: Rgb): Rgb {
  return contrast(BLACK, background) >= contrast(WHITE, background) ? BLACK : WHITE;
}

/**
 * Returns the color if text in it is readable on the background. Otherwise it moves the color toward black or white
 * until it is readable.
 */
export function readable(color: Rgb, background: Rgb): Rgb {
  const strongest = strongestOn(background);
  for (let step = 0; step < MIX_STEPS; step += 1) {
    const candidate = mix(color, strongest, step / MIX_STEPS);
    if (contrast(candidate, background) >= TEXT_CONTRAST_MIN) return candidate;
  }
  return strongest;
}

/** Mixes two colors; `share` 0 is the first, 1 the second. */
export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  return from.map((part, i) => Math.round(part + (to[i]! - part) * share)) as Rgb;
}

function contrast(a: Rgb, b: Rgb): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Returns the relative luminance as WCAG 2.2 defines it for sRGB. */
function luminance(color: Rgb): number {
  const [r, g, b] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Parses a `#rrggbb` color; undefined for any other text. */
export function parseHex(color: string | undefined): Rgb | undefined {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color ?? '');
  return match ? (match.slice(1).map((part) => Number.parseInt(part, 16)) as Rgb) : undefined;
}

/** Formats a color as `#rrggbb`. */
export const toHex = (color: Rgb): string => `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
