import { parseAccept } from 'hono/utils/accept';
import { isLanguageCode } from '../domain/fields.ts';

/**
 * Returns the best available language for `wanted`: the same code, or the same language without a region; undefined if
 * none matches.
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

/** Returns the available language that ranks highest in an `Accept-Language` header; undefined if none matches. */
export function negotiateLanguage(header: string | undefined, available: readonly string[]): string | undefined {
  const wanted = parseAccept(header ?? '').filter(({ type, q }) => q > 0 && type !== '*');
  for (const { type } of wanted.sort((a, b) => b.q - a.q)) {
    const match = matchLanguage(type, available);
    if (match) return match;
  }
  return undefined;
}

/** Returns the texts of a dictionary in `language`, or in English. */
export function wordsIn<W>(dictionary: Record<string, W> & { en: W }, language: string): W {
  const match = matchLanguage(language, Object.keys(dictionary));
  return match ? dictionary[match]! : dictionary.en;
}

const RIGHT_TO_LEFT = ['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'];

/** Returns the writing direction for the `dir` attribute. */
export function textDirection(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(language.split('-')[0]!.toLowerCase()) ? 'rtl' : 'ltr';
}

/**
 * Returns a language's own name with a capital: `Deutsch`. Returns the code if the runtime knows no name, for example
 * while it is typed.
 */
export function languageName(language: string): string {
  if (!isLanguageCode(language)) return language;
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}
