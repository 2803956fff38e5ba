import { styleText } from 'node:util';
import { wrap } from '../phone/terminal-text.ts';
import type { AdminHelp } from './admin-commands.ts';
import type { Command, Option, Output } from './command.ts';
import { ADMIN, ADMIN_COMMON } from './commands/admin.ts';
import { COMMANDS, GROUPS } from './commands.ts';
import { typed } from './program.ts';

const COLUMNS_MAX = 100;
const NAME_COLUMNS_MAX = 34;

const title = (text: string) => styleText('bold', text);

/** Lays out names and descriptions in two columns. */
function table(rows: readonly (readonly [name: string, text: string])[]): string[] {
  const width = Math.min(Math.max(...rows.map(([name]) => name.length)), NAME_COLUMNS_MAX);
  const indent = ' '.repeat(width + 4);
  return rows.flatMap(([name, text]) => {
    const [first = '', ...more] = wrap(text, COLUMNS_MAX - width - 4);
    const behind = more.map((line) => indent + line);
    if (name.length > width) return [`  ${name}`, indent + first, ...behind];
    return [`  ${name.padEnd(width)}  ${first}`, ...behind];
  });
}

const section = (name: string, rows: readonly (readonly [string, string])[]): string[] =>
  rows.length > 0 ? ['', title(name), ...table(rows)] : [];

/** The list of all commands. */
export function overallHelp(version: string): string {
  const program = typed('').trim();
  const groups = GROUPS.flatMap(([name, names]) =>
    section(
      name,
      names.map((one) => [one, COMMANDS[one]!.summary]),
    ),
  );
  const examples = ['start', 'demo', 'admin account list --json'].map((words) => `  ${program} ${words}`);
  return [
    `${title('pass-wallet')} ${version}: passes for Apple Wallet and Google Wallet`,
    '',
    `  ${program} <command> [options]`,
    ...groups,
    '',
    title('Examples'),
    ...examples,
    '',
    ...wrap(
      `"${program} <command> --help" shows options and examples of a command. Every command takes --json. Exit codes: 0, 1 after a failure, 2 for a wrong command line.`,
      COLUMNS_MAX,
    ),
  ].join('\n');
}

/** Returns an option as typed: `-h, --help`, `--port N`. */
function optionText(name: string, { short, value }: Option): string {
  return `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
}

/** Returns the help of a command. */
export function commandHelp(name: string, command: Command): string {
  const program = typed(name);
  const usage = [program, command.argument?.shown, '[options]'].filter(Boolean).join(' ');
  return [
    title(usage),
    '',
    ...wrap(`${command.summary}. ${command.about ?? ''}`.trim(), COLUMNS_MAX),
    ...section('Argument', command.argument ? [[command.argument.shown, `${command.argument.help}.`]] : []),
    ...optionSection(command),
    ...section('Environment', variablesOf(command)),
    ...exampleSection(name, command.examples),
    ...outputSection(command.output),
  ].join('\n');
}

function optionSection({ options }: Command, names = Object.keys(options)): string[] {
  return section(
    'Options',
    names.map((one) => [optionText(one, options[one]!), options[one]!.help]),
  );
}

function variablesOf({ options, variables = {} }: Command): [string, string][] {
  const ofOptions = Object.entries(options).flatMap(([name, { variable }]): [string, string][] =>
    variable ? [[variable, `the same as --${name}, which takes precedence`]] : [],
  );
  return [...ofOptions, ...Object.entries(variables)];
}

function exampleSection(name: string, examples: Command['examples']): string[] {
  if (examples.length === 0) return [];
  return ['', title('Examples'), ...examples.flatMap(([words, does]) => [`  ${typed(name, words)}`, `      ${does}`])];
}

function outputSection(output: Output): string[] {
  if ('document' in output) return section('With --json: one document', Object.entries(output.document));
  const rows = Object.entries(output.lines).map(([event, members]) => [event, members] as const);
  return section('With --json: one document a line, by its event', rows);
}

/** Breaks a usage between its options. */
function usageLines(usage: string): string[] {
  const whole = usage.replaceAll(/\[[^\]]*\]/g, (option) => option.replaceAll(' ', '\u00a0'));
  const lines = wrap(whole, COLUMNS_MAX - 4).map((line) => line.replaceAll('\u00a0', ' '));
  return lines.map((line, i) => `${i === 0 ? '  ' : '    '}${line}`);
}

/** Options of every administration command. */
const ADMIN_SHARED = Object.keys(ADMIN_COMMON);

/** Returns the administration's help: all commands, or the named one. */
export function adminHelp(known: AdminHelp[], named: string): string {
  const one = known.find(({ name }) => name === named);
  if (one) {
    const usage = [...usageLines(typed('admin', one.usage)).map((line) => title(line.slice(2))), '', `${one.summary}.`];
    return [...usage, ...optionSection(ADMIN, [...one.options, ...ADMIN_SHARED])].join('\n');
  }
  return [
    title(`${typed('admin', '<command>')} [options]`),
    '',
    ...wrap(`${ADMIN.summary}. ${ADMIN.about}`, COLUMNS_MAX),
    '',
    title('Commands'),
    ...known.flatMap(({ usage, summary }) => [...usageLines(usage), `      ${summary}`]),
    ...optionSection(ADMIN, ADMIN_SHARED),
    ...section('Environment', variablesOf(ADMIN)),
    ...exampleSection('admin', ADMIN.examples),
    ...outputSection(ADMIN.output),
  ].join('\n');
}
