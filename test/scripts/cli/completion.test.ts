import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { knownAdminCommands } from '../../../scripts/cli/admin-commands.ts';
import { COMMAND_NAMES, COMMANDS } from '../../../scripts/cli/commands.ts';
import { bashCompletion } from '../../../scripts/cli/completion/bash.ts';
import { fishCompletion } from '../../../scripts/cli/completion/fish.ts';
import { placesOf } from '../../../scripts/cli/completion/model.ts';
import { zshCompletion } from '../../../scripts/cli/completion/zsh.ts';
import { DEMO_KEYS } from '../../../scripts/demo/templates.ts';

/* Runs the scripts in the shells installed on this machine. Each shell starts once for all cases. */

const folder = mkdtempSync(join(tmpdir(), 'completion-'));
afterAll(() => rmSync(folder, { recursive: true }));
const known = knownAdminCommands();
const places = placesOf(known);

const optionsOf = (name: keyof typeof COMMANDS) => Object.keys(COMMANDS[name].options).map((one) => `--${one}`);
const firstWords = [...new Set(known.map(({ name }) => name.split(' ')[0]!))];

/** A typed line, whose last word is to be completed, and the offered words. */
const CASES: [typed: string, offered: string[]][] = [
  ['pass-wallet ', COMMAND_NAMES],
  ['pass-wallet de', ['demo', 'deploy']],
  ['pass-wallet demo ', DEMO_KEYS],
  ['pass-wallet deploy --', optionsOf('deploy')],
  ['pass-wallet deploy --location w', ['weur', 'wnam']],
  ['pass-wallet listen --events pass_cr', ['pass_created']],
  ['pass-wallet admin ', firstWords],
  ['pass-wallet admin account m', ['move']],
  ['pass-wallet admin --remote account m', ['move']],
  ['pass-wallet admin account move --i', ['--id']],
  ['pass-wallet admin account create --name demo --time', ['--timezone']],
  ['pass-wallet admin user operator --o', ['--on', '--off']],
  ['pass-wallet admin account update --require-passkey ', ['on', 'off']],
  ['pass-wallet completion ', ['bash', 'zsh', 'fish']],
  ['npx pass-wallet rest', ['restore']],
];
const inShells = CASES.map(([typed]) => typed.split(' '));
const offered = CASES.map(([typed, words]) => `${typed} => ${[...words].toSorted().join(' ')}`);

/** Parses the lines `typed => words` that a shell printed, and sorts the words. */
const answersOf = (printed: string) =>
  printed
    .trim()
    .split('\n')
    .map((line) => {
      const [typed, words = ''] = line.split(' =>');
      const found = words.trim().split(/\s+/).filter(Boolean).toSorted();
      return `${typed} => ${found.join(' ')}`;
    });

const quoted = (words: string[]) => words.map((word) => `'${word}'`).join(' ');

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const missing = (shell: string) => spawnSync(shell, ['--version']).status !== 0;

test('the positions are the commands and the administration’s, each with its help and --json', () => {
  expect(places.map(({ path }) => path)).toEqual(expect.arrayContaining(known.map(({ name }) => `admin ${name}`)));
  for (const { path, options } of places) {
    const names = options.flatMap((one) => one.names);
    expect(names, path).toEqual(expect.arrayContaining(path === '' ? ['--help', '-h'] : ['--json', '--help']));
    expect(new Set(names).size, path).toBe(names.length);
  }
});

describe.skipIf(missing('bash'))('bash', () => {
  test('offers commands, options and values', () => {
    const script = write('pass-wallet.bash', bashCompletion(places));
    const program = `
      source ${script}
      ask() {
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        if [[ $1 == npx ]]; then _pass_wallet_npx; else _pass_wallet_command; fi
        echo "$* => \${COMPREPLY[*]}"
      }
      ${inShells.map((words) => `ask ${quoted(words)}`).join('\n')}
      complete -p pass-wallet
      ask pass-wallet deploy --location = we
      cd ${folder}
      ask pass-wallet admin certificate import --p12 pass-
      ask npx something de`;
    const [answers, rest] = execFileSync('bash', ['-c', program], { encoding: 'utf8' }).split('complete -o');
    expect(answersOf(answers!)).toEqual(offered);
    expect(rest!.trim().split('\n').slice(1)).toEqual([
      'pass-wallet deploy --location = we => weur',
      'pass-wallet admin certificate import --p12 pass- => pass-wallet.bash',
      'npx something de =>',
    ]);
  });
});

describe.skipIf(missing('zsh'))('zsh', () => {
  test('offers commands, options and values', () => {
    const script = write('pass-wallet.zsh', zshCompletion(places));
    // Replaces the zsh functions that would display completions.
    const program = `
      typeset -A _comps
      compdef() { :; }
      compadd() { offered+=("\${@[2,-1]}"); }
      _describe() { local one; for one in "\${(@P)\${@[-1]}}"; do offered+=("\${one%%:*}"); done; }
      _files() { offered+=(FILES); }
      source ${script}
      ask() {
        local -a offered
        words=("$@") CURRENT=$# PREFIX="$argv[-1]"
        if [[ $1 == npx ]]; then _pass_wallet_npx; else _pass_wallet; fi
        print -r -- "$* =>" \${(M)offered:#$PREFIX*}
      }
      ${inShells.map((words) => `ask ${quoted(words)}`).join('\n')}`;
    expect(answersOf(execFileSync('zsh', ['-f', '-c', program], { encoding: 'utf8' }))).toEqual(offered);
  });
});

describe.skipIf(missing('fish'))('fish', () => {
  test('offers commands, options and values', () => {
    const script = write('pass-wallet.fish', fishCompletion(places));
    const program = `
      source ${script}
      for line in ${CASES.map(([typed]) => `'${typed}'`).join(' ')}
        echo "$line =>" (complete -C $line | string replace -r '\\t.*' '')
      end`;
    const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
    const printed = execFileSync('fish', ['--no-config', '-c', program], { encoding: 'utf8', env });
    expect(answersOf(printed)).toEqual(offered);
  });
});
