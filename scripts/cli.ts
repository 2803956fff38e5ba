import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND_NAMES, COMMANDS, type CommandName, isCommandName } from './cli/commands.ts';
import { commandHelp, overallHelp } from './cli/help.ts';
import { meant } from './cli/nearest.ts';
import { invoked, typed, wantsJson } from './cli/program.ts';
import { fail, ROOT, UsageProblem } from './settings.ts';

/*
 * pass-wallet <command>: the single entry to the scripts. `cli/commands.ts` lists the commands. A script reads its
 * arguments from `process.argv`, as under npm.
 */

const SCRIPTS: Record<CommandName, () => Promise<unknown>> = {
  start: () => import('./start.ts'),
  demo: () => import('./demo.ts'),
  phone: () => import('./phone.ts'),
  listen: () => import('./listen.ts'),
  open: () => import('./open.ts'),
  status: () => import('./status.ts'),
  admin: () => import('./admin.ts'),
  backup: () => import('./backup.ts'),
  restore: () => import('./restore.ts'),
  deploy: () => import('./deploy.ts'),
  rollback: () => import('./rollback.ts'),
  'apns-relay': () => import('./apns-relay/main.ts'),
  completion: () => import('./completion.ts'),
};
const HELP = ['help', '--help', '-h'];
const VERSION = ['version', '--version', '-v'];

try {
  const [first, ...others] = inOrder(process.argv.slice(2));
  const [named, ...behind] = others.filter((word) => word !== '--json');
  if (first === undefined) showHelp();
  else if (HELP.includes(first) && named === undefined) showHelp();
  // The same as the command with --help.
  else if (HELP.includes(first))
    await runCommand(named!, [...behind, ...others.filter((word) => word === '--json'), '--help']);
  else if (VERSION.includes(first)) show({ version: version(), node: process.versions.node }, version());
  else await runCommand(first, others);
} catch (error) {
  fail(error);
}

/** Allows --json before the command, too. */
function inOrder([first, ...others]: string[]): string[] {
  if (first === undefined) return [];
  return first === '--json' ? [...inOrder(others), first] : [first, ...others];
}

async function runCommand(name: string, words: string[]): Promise<void> {
  if (!isCommandName(name)) throw unknown(name);
  invoked.command = name;
  // The administration's help lists its own commands.
  if (name !== 'admin' && asksForHelp(words)) {
    show({ name, ...COMMANDS[name] }, commandHelp(name, COMMANDS[name]));
    return;
  }
  process.argv = [...process.argv.slice(0, 2), ...words];
  await SCRIPTS[name]();
}

function asksForHelp(words: string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? words.length : end).some((word) => word === '--help' || word === '-h');
}

function unknown(name: string): UsageProblem {
  const what = name.startsWith('-')
    ? `Put ${name} after a command.`
    : `There is no command "${name}".${meant(name, COMMAND_NAMES)}`;
  return new UsageProblem(`${what}\n${typed('--help')} lists all commands.`);
}

function showHelp(): void {
  show({ version: version(), commands: COMMANDS }, overallHelp(version()));
}

function show(value: object, text: string): void {
  console.log(wantsJson() ? JSON.stringify(value) : text);
}

function version(): string {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
}
