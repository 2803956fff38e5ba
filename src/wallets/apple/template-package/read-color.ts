import { normalizeColor } from '../../../domain/fields.ts';

const RGB = /^\s*rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)\s*$/i;

/** Converts a color of pass.json such as `rgb(29, 53, 87)` to `#rrggbb`; undefined for anything else. */
export function hexColor(value: unknown): string | undefined {
  const parts = typeof value === 'string' ? RGB.exec(value)?.slice(1).map(Number) : undefined;
  if (!parts) return normalizeColor(value);
  if (parts.some((part) => part > 255)) return undefined;
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
