import { isRecord } from '../../../platform/json.ts';

/** ISO 8601 in other systems' variants: with fractions of a second, or an offset without a colon. */
const MOMENT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(?:(Z)|([+-]\d{2}):?(\d{2}))$/;

/** Normalizes a time for definitions, to the second. Leaves any other text unchanged. */
export function plainMoment(text: string): string {
  const [, local, utc, hours, minutes] = MOMENT.exec(text) ?? [];
  if (local === undefined) return text;
  return local + (utc ?? `${hours}:${minutes}`);
}

/** Normalizes every text in a value. */
export function withPlainMoments(value: unknown): unknown {
  if (typeof value === 'string') return plainMoment(value);
  if (Array.isArray(value)) return value.map(withPlainMoments);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withPlainMoments(part)]));
}
