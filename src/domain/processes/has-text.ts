import { isRecord } from '../../platform/json.ts';
import { fold } from '../passes/search-index/search-terms.ts';

/** Whether one of the texts, folded, is a value somewhere in a JSON value. */
export function hasText(value: unknown, texts: Set<string>): boolean {
  if (Array.isArray(value)) return value.some((one) => hasText(one, texts));
  if (isRecord(value)) return Object.values(value).some((one) => hasText(one, texts));
  return value !== null && value !== undefined && texts.has(fold(String(value)));
}
