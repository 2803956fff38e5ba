import { parseAccept } from 'hono/utils/accept';
import { isLanguageCode } from '../domain/fields.ts';

/**
 * The available language that serves `wanted` best: the same code, else the same language without region; else
 * undefined.
 */
export function matchLanguage(wanted: string, available: readonly string[]): string | undefined {
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  const base = (code: string) => code.split('-')[0]!;
  return (
    available.find((code) => same(code, wanted)) ??
    available.find((code) => same(code, base(wanted))) ??
    available.find((code) => same(base(code), base(wanted)))
  );
}

/**
 * The first available language among those that an `Accept-Language` header asks for, most wanted first; else
 * undefined.
 */
export function negotiateLanguage(header: string | undefined, available: readonly string[]): string | undefined {
  const wanted = parseAccept(header ?? '').filter(({ type, q }) => q > 0 && type !== '*');
  for (const { type } of wanted.sort((a, b) => b.q - a.q)) {
    const match = matchLanguage(type, available);
    if (match) return match;
  }
  return undefined;
}

/** The words of a dictionary in `language`, English where it has none. */
export function wordsIn<W>(dictionary: Record<string, W> & { en: W }, language: string): W {
  const match = matchLanguage(language, Object.keys(dictionary));
  return match ? dictionary[match]! : dictionary.en;
}

const RIGHT_TO_LEFT = ['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'];

/** Writing direction for the `dir` attribute. */
export function textDirection(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(language.split('-')[0]!.toLowerCase()) ? 'rtl' : 'ltr';
}

/**
 * A language's name in that language itself, with a capital: `Deutsch`; the code where the runtime knows no name, as of
 * one that somebody is still typing.
 */
export function languageName(language: string): string {
  if (!isLanguageCode(language)) return language;
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}
