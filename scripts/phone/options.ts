import { PHONE } from '../cli/commands/phone.ts';
import { meant } from '../cli/nearest.ts';
import { parseWords } from '../cli/parse-words.ts';
import { isDemoKey } from '../demo/passes.ts';
import { DEMO_KEYS, type DemoKey } from '../demo/templates.ts';
import { UsageProblem } from '../settings.ts';

export interface PhoneCommand {
  /** A download page, pass file or bundle; absent: a new demo pass. */
  link?: string;
  /** The template of a new demo pass. */
  template?: DemoKey;
  pin?: string;
  language: string;
  once: boolean;
  keep: boolean;
  json: boolean;
  /** How long `once` waits; absent: forever. */
  waitMs?: number;
}

/** Reads the command line. Throws a `UsageProblem` for invalid options. */
export function readPhoneOptions(words: string[]): PhoneCommand {
  const { values, words: behind } = parseWords(PHONE, words);
  const [word, ...others] = behind;
  const template = word !== undefined && isDemoKey(word) ? word : undefined;
  const link = template ? undefined : word;
  if (others.length > 0) throw new UsageProblem('Give one link.');
  if (link !== undefined && !/^https?:$/.test(URL.parse(link)?.protocol ?? ''))
    throw new UsageProblem(`"${link}" is not a link.${meant(link, DEMO_KEYS)}`);
  const language = values.language ?? 'en';
  if (!isLanguage(language))
    throw new UsageProblem(`--language must be a language such as de or pt-BR, not "${language}".`);
  const { once = false, keep = false, json = false } = values;
  if (values.wait !== undefined && !once) throw new UsageProblem('--wait goes with --once.');
  return { link, template, pin: values.pin, language, once, keep, json, waitMs: readWait(values.wait) };
}

function readWait(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (!(seconds > 0 && Number.isFinite(seconds)))
    throw new UsageProblem(`--wait must be a number of seconds, not "${text}".`);
  return seconds * 1_000;
}

function isLanguage(code: string): boolean {
  try {
    return Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}
