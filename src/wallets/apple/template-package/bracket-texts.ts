import { bracketPlaceholders } from '../../../domain/passes/card/placeholders.ts';
import { isRecord } from '../../../platform/json.ts';
import { OWN_CODE } from './read-barcode.ts';
import type { Warnings } from './warnings.ts';

type Json = Record<string, unknown>;

/**
 * Returns the definition of an example pass with texts that nothing fills: otherwise its issuer could send tokens of
 * later holders to an address, or make the account sign a text. `OWN_CODE` stays, because the import itself sets it.
 */
export function withBracketedTexts({ images, ...definition }: Json, warnings: Warnings): Json {
  return { ...(bracketed(definition, '', warnings) as Json), images };
}

function bracketed(value: unknown, path: string, warnings: Warnings): unknown {
  if (typeof value === 'string') return bracketedText(value, path, warnings);
  if (Array.isArray(value)) return value.map((part, i) => bracketed(part, joined(path, String(i)), warnings));
  if (!isRecord(value)) return value;
  // The keys of translations are texts.
  const isTable = /^translations\.[^.]+$/.test(path);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) =>
      isTable
        ? [bracketPlaceholders(name), bracketed(part, path, warnings)]
        : [name, bracketed(part, joined(path, name), warnings)],
    ),
  );
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function bracketedText(text: string, path: string, warnings: Warnings): string {
  if (text === OWN_CODE) return text;
  const result = bracketPlaceholders(text);
  if (result !== text)
    warnings.add(path, 'has placeholders of this service, whose values the issuer of the example could get; set in []');
  return result;
}
