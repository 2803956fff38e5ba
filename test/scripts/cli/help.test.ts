import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseAdminArguments } from '../../../scripts/admin-arguments.ts';
import { knownAdminCommands } from '../../../scripts/cli/admin-commands.ts';
import type { Output } from '../../../scripts/cli/command.ts';
import { ADMIN, ADMIN_COMMON, ADMIN_SUMMARIES } from '../../../scripts/cli/commands/admin.ts';
import { COMMAND_NAMES, COMMANDS, GROUPS } from '../../../scripts/cli/commands.ts';
import { adminHelp, commandHelp, overallHelp } from '../../../scripts/cli/help.ts';
import { parseWords } from '../../../scripts/cli/parse-words.ts';
import { ADMIN_COMMANDS } from '../../../src/admin/commands.ts';

const ROOT = join(import.meta.dirname, '../../..');
const COLUMNS_MAX = 102;
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const plain = (text: string) => stripVTControlCharacters(text);

/** Splits an example into words like a shell; after a pipe, they belong to another program. */
const wordsOf = (example: string) =>
  example
    .split(/ [|>] /)[0]!
    .split(' ')
    .filter(Boolean);

describe('the list of commands', () => {
  const help = plain(overallHelp('1.2.3'));

  test('names each command once, in a group, with what it does', () => {
    expect(GROUPS.flatMap(([, names]) => names).toSorted()).toEqual(COMMAND_NAMES.toSorted());
    for (const name of COMMAND_NAMES) expect(help).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'));
    expect(help).toContain('pass-wallet 1.2.3');
  });

  test('is narrow enough for a terminal', () => {
    for (const line of help.split('\n')) expect(line.length, line).toBeLessThanOrEqual(COLUMNS_MAX);
  });
});

describe.each(COMMAND_NAMES)('%s', (name) => {
  const command = COMMANDS[name];
  const help = plain(name === 'admin' ? adminHelp(knownAdminCommands(), '') : commandHelp(name, command));

  test('explains every option, its variables and its output', () => {
    const options = name === 'admin' ? Object.keys(ADMIN_COMMON) : Object.keys(command.options);
    for (const option of options) expect(help).toMatch(new RegExp(`^  (-\\w, )?--${option}\\b`, 'm'));
    for (const variable of Object.keys(command.variables ?? {})) expect(help).toContain(variable);
    expect(help).toContain('With --json');
  });

  test('has valid examples', () => {
    expect(command.examples.length).toBeGreaterThan(0);
    for (const [words] of command.examples) {
      if (name === 'admin') expect(ADMIN_COMMANDS).toHaveProperty([parseAdminArguments(wordsOf(words)).command]);
      else expect(() => parseWords(command, wordsOf(words)), words).not.toThrow();
    }
  });
});

describe('administration commands', () => {
  const known = knownAdminCommands();

  test('each has a line in the help, and nothing else does', () => {
    expect(known.map(({ name }) => name)).toEqual(Object.keys(ADMIN_SUMMARIES).toSorted());
  });

  test.each(known)('$name explains the options of its usage, and no others', ({ name, options }) => {
    const help = plain(adminHelp(known, name));
    const explained = [...help.split('\nOptions\n')[1]!.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, one]) => one);
    expect(explained).toEqual([...options, ...Object.keys(ADMIN_COMMON)]);
  });

  test('no option is declared that no command has', () => {
    const used = new Set([...known.flatMap(({ options }) => options), ...Object.keys(ADMIN_COMMON)]);
    expect(Object.keys(ADMIN.options).filter((name) => !used.has(name))).toEqual([]);
  });
});

/** Formats the output of `--json` like the page for operators. */
function shapeOf(output: Output): string {
  if ('document' in output) {
    const names = Object.keys(output.document);
    return names[0] === '' ? `one document: ${output.document['']}` : `one document: \`${names.join('`, `')}\``;
  }
  const events = Object.keys(output.lines);
  return events[0] === '' ? `lines: ${output.lines['']}` : `lines by \`event\`: \`${events.join('`, `')}\``;
}

test('the page for operators lists every command, and its output with --json', () => {
  const rows = COMMAND_NAMES.map(
    (name) => `| \`${name}\` | ${COMMANDS[name].summary} | ${shapeOf(COMMANDS[name].output)} |`,
  );
  expect(read('docs/operations.md')).toContain(
    `| Command | What it does | With \`--json\` |\n|---|---|---|\n${rows.join('\n')}\n`,
  );
});

test('package and lock file name the program, which any machine can run', () => {
  const { bin, scripts } = JSON.parse(read('package.json'));
  expect(bin).toEqual({ 'pass-wallet': 'scripts/cli.mjs' });
  expect(JSON.parse(read('package-lock.json')).packages[''].bin).toEqual(bin);
  expect(read(bin['pass-wallet'])).toMatch(/^#!\/usr\/bin\/env node\n/);
  // Every npm script is a command of the program, too, except those for developers.
  const ofDevelopers = ['dev', 'pictures', 'test', 'check', 'contract', 'client', 'bench', 'types', 'lint', 'format'];
  const ran = Object.keys(scripts).filter((name) => ![...ofDevelopers, 'db:generate'].includes(name));
  expect(ran.filter((name) => !(COMMAND_NAMES as string[]).includes(name))).toEqual([]);
});
