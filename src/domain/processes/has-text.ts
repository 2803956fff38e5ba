import { isRecord } from '../../platform/json.ts';
import { fold } from '../passes/search-index/search-terms.ts';

/** Those of the texts, folded, that are a value somewhere in a JSON value. */
export function textsIn(value: unknown, texts: Set<string>): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, texts));
  if (isRecord(value)) return Object.values(value).flatMap((one) => textsIn(one, texts));
  if (value === null || value === undefined) return [];
  const text = fold(String(value));
  return texts.has(text) ? [text] : [];
}
