import { parseArgs } from 'node:util';
import { isDemoKey } from '../demo/passes.ts';
import { DEMO_KEYS, type DemoKey } from '../demo/templates.ts';
import { Problem } from '../settings.ts';

export interface PhoneCommand {
  /** A download page, a pass file or a bundle; absent: a new demo pass. */
  link?: string;
  /** The template of a new demo pass. */
  template?: DemoKey;
  pin?: string;
  language: string;
  once: boolean;
  keep: boolean;
  json: boolean;
  /** How long `once` waits; absent: for ever. */
  waitMs?: number;
}

export const USAGE = `npm run phone -- [<link> | <template>] [options]: an iPhone in the terminal

  <link>         download page, .pkpass or .pkpasses of the service that runs on this machine; without one a demo pass is made
  <template>     demo template of that pass: ${DEMO_KEYS.join(', ')}
  --pin P        PIN of the download page
  --language L   language of the phone; default en
  --once         end after the first update
  --wait S       with --once: give up after so many seconds
  --keep         stay registered at the end
  --json         one JSON object a line, for programs`;

/** Reads the command line; undefined: only help was asked for. Throws a `Problem`. */
export function readPhoneOptions(words: string[]): PhoneCommand | undefined {
  const { values, positionals } = parse(words);
  if (values.help) return undefined;
  const [word, ...others] = positionals;
  const template = word !== undefined && isDemoKey(word) ? word : undefined;
  const link = template ? undefined : word;
  if (others.length > 0) throw new Problem('Give one link.');
  if (link !== undefined && !/^https?:$/.test(URL.parse(link)?.protocol ?? ''))
    throw new Problem(`"${link}" is not a link.`);
  const language = values.language ?? 'en';
  if (!isLanguage(language)) throw new Problem(`--language must be a language such as de or pt-BR, not "${language}".`);
  const { once = false, keep = false, json = false } = values;
  if (values.wait !== undefined && !once) throw new Problem('--wait goes with --once.');
  return { link, template, pin: values.pin, language, once, keep, json, waitMs: readWait(values.wait) };
}

function parse(words: string[]) {
  try {
    return parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        pin: { type: 'string' },
        language: { type: 'string' },
        wait: { type: 'string' },
        once: { type: 'boolean' },
        keep: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new Problem(`${(error as Error).message.split('. ')[0]}.`);
  }
}

function readWait(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (!(seconds > 0 && Number.isFinite(seconds)))
    throw new Problem(`--wait must be a number of seconds, not "${text}".`);
  return seconds * 1_000;
}

function isLanguage(code: string): boolean {
  try {
    return Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}
