import { isRecord } from '../../platform/json.ts';
import { fold } from '../passes/search-index/search-terms.ts';

/** Returns the scalar values in a JSON value, as folded texts. */
export function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (isRecord(value)) return Object.values(value).flatMap(textsOf);
  return value === null || value === undefined ? [] : [fold(String(value))];
}

/** Returns the folded texts that are a value anywhere in a JSON value. */
export function textsIn(value: unknown, texts: Set<string>): string[] {
  return textsOf(value).filter((text) => texts.has(text));
}
