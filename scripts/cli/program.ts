import { relative, resolve } from 'node:path';

/** Set by `scripts/cli.mjs`: the folder in which the command was typed. */
const FOLDER = 'PASS_WALLET_FOLDER';

/** Whether the command line runs this script, rather than `npm run`. */
export function isCommandLine(env = process.env): boolean {
  return Boolean(env[FOLDER]);
}

/** The command being run. */
export const invoked = { command: '' };

/**
 * Resolves a path against the folder in which the command was typed. The scripts themselves run in the project's
 * folder.
 */
export function typedPath(path: string, env = process.env): string {
  return env[FOLDER] ? resolve(env[FOLDER], path) : path;
}

/** Returns a path relative to the folder in which the command was typed. */
export function shownPath(path: string, env = process.env): string {
  const from = relative(env[FOLDER] ?? process.cwd(), path);
  return isCommandLine(env) && from.startsWith('..') ? path : from;
}

/** Returns a command in the form the reader typed the current one. */
export function typed(command: string, words = '', env = process.env): string {
  const behind = words === '' ? '' : ` ${words}`;
  if (isCommandLine(env)) return `${env.npm_command === 'exec' ? 'npx ' : ''}pass-wallet ${command}${behind}`;
  if (command === 'start') return 'npm start';
  const quiet = command === 'admin' ? '-s ' : '';
  return `npm run ${quiet}${command}${words === '' ? '' : ` --${behind}`}`;
}

/** Whether standard output is for programs. */
export function wantsJson(words = process.argv): boolean {
  return words.includes('--json');
}
