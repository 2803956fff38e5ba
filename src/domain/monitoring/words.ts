const UNITS = [
  [24 * 3_600_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

/** Formats a span of time in its largest unit, rounded down: `3 hours`. */
export function shownSpan(millis: number): string {
  const [unitMs, unit] = UNITS.find(([size]) => millis >= size) ?? UNITS[3];
  const count = Math.floor(millis / unitMs);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const BYTES = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'KB'],
] as const;

/** Formats a size in decimal units, as Cloudflare does: `1.2 GB`. */
export function shownBytes(bytes: number): string {
  const [size, unit] = BYTES.find(([one]) => bytes >= one) ?? [1, 'bytes'];
  const digits = size === 1 ? 0 : 1;
  return `${(bytes / size).toFixed(digits).replace(/\.0$/, '')} ${unit}`;
}
