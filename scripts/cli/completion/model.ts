import type { AdminHelp } from '../admin-commands.ts';
import type { Command, Option } from '../command.ts';
import { ADMIN, ADMIN_COMMON } from '../commands/admin.ts';
import { COMMANDS } from '../commands.ts';

/** What can be typed at one position: after `pass-wallet`, or after some of its commands. */
export interface Place {
  /** Words before this position, such as `admin account`; empty at the beginning. */
  path: string;
  /** Possible next words with their help. */
  words: [word: string, help: string][];
  options: CompletedOption[];
}

export interface CompletedOption {
  /** As typed: `--port`. */
  names: string[];
  help: string;
  takesValue: boolean;
  choices: readonly string[];
  path?: 'file' | 'folder';
}

/** Returns every position with its completions, from the declarations of the commands. */
export function placesOf(adminCommands: readonly AdminHelp[]): Place[] {
  const names = Object.entries(COMMANDS).map(([name, { summary }]): [string, string] => [name, summary]);
  const common = { help: COMMANDS.start!.options.help! };
  return [
    { path: '', words: names, options: [...optionsOf(common), flag('--version', 'shows the version')] },
    ...Object.entries(COMMANDS)
      .filter(([name]) => name !== 'admin')
      .map(([name, command]) => ({ path: name, words: argumentsOf(command), options: optionsOf(command.options) })),
    ...adminPlaces(adminCommands),
  ];
}

function adminPlaces(commands: readonly AdminHelp[]): Place[] {
  const shared = optionsOf(ADMIN_COMMON);
  const all: Record<string, Option> = ADMIN.options;
  const places = new Map<string, Place>([['admin', { path: 'admin', words: [], options: shared }]]);
  for (const { name, summary, options } of commands) {
    const words = name.split(' ');
    for (const [i, word] of words.entries()) {
      const at = ['admin', ...words.slice(0, i)].join(' ');
      const isLast = i === words.length - 1;
      const place = places.get(at)!;
      if (!place.words.some(([known]) => known === word)) place.words.push([word, isLast ? summary : groupOf(word)]);
      const next = `${at} ${word}`;
      const own = isLast ? optionsOf(Object.fromEntries(options.map((one) => [one, all[one]!]))) : [];
      if (!places.has(next)) places.set(next, { path: next, words: [], options: [...own, ...shared] });
    }
  }
  return [...places.values()];
}

const groupOf = (word: string) => `commands for ${word.replaceAll('-', ' ')}`;

function argumentsOf({ argument }: Command): [string, string][] {
  return (argument?.choices ?? []).map((choice) => [choice, '']);
}

function flag(name: string, help: string): CompletedOption {
  return { names: [name], help, takesValue: false, choices: [] };
}

function optionsOf(options: Record<string, Option>): CompletedOption[] {
  return Object.entries(options).map(([name, { short, help, type, choices = [], path }]) => ({
    names: [`--${name}`, ...(short ? [`-${short}`] : [])],
    // The values after a colon are completed separately.
    help: help.replace(/ \(default.*|: .*/s, ''),
    takesValue: type === 'string',
    choices,
    ...(path && { path }),
  }));
}

/** Quotes a word for any of the shells. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
