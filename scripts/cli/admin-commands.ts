import { ADMIN_COMMANDS } from '../../src/admin/commands.ts';
import { ADMIN_SUMMARIES } from './commands/admin.ts';

/** An administration command, as its help shows it. */
export interface AdminHelp {
  name: string;
  summary: string;
  /** `account create --name N [--timezone T]` */
  usage: string;
  /** Names of the options in the usage. */
  options: string[];
}

/** Returns the commands meant for people, from the administration's own declarations. */
export function knownAdminCommands(): AdminHelp[] {
  return Object.entries(ADMIN_COMMANDS)
    .filter(([, { usage }]) => usage !== '')
    .map(([name, { usage }]) => ({ name, summary: ADMIN_SUMMARIES[name] ?? '', usage, options: optionsIn(usage) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function optionsIn(usage: string): string[] {
  return [...new Set([...usage.matchAll(/--([\w-]+)/g)].map(([, name]) => name!))];
}
