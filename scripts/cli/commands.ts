import type { Command } from './command.ts';
import { ADMIN } from './commands/admin.ts';
import { APNS_RELAY } from './commands/apns-relay.ts';
import { BACKUP, RESTORE } from './commands/backup.ts';
import { COMPLETION } from './commands/completion.ts';
import { DEMO } from './commands/demo.ts';
import { DEPLOY } from './commands/deploy.ts';
import { LISTEN } from './commands/listen.ts';
import { OPEN } from './commands/open.ts';
import { PHONE } from './commands/phone.ts';
import { ROLLBACK } from './commands/rollback.ts';
import { START } from './commands/start.ts';
import { STATUS } from './commands/status.ts';

/** Every `pass-wallet` command by name, in the order of the help. */
const KNOWN = {
  start: START,
  demo: DEMO,
  phone: PHONE,
  listen: LISTEN,
  open: OPEN,
  status: STATUS,
  admin: ADMIN,
  backup: BACKUP,
  restore: RESTORE,
  deploy: DEPLOY,
  rollback: ROLLBACK,
  'apns-relay': APNS_RELAY,
  completion: COMPLETION,
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof KNOWN;

export const COMMANDS: Readonly<Record<CommandName, Command>> = KNOWN;

export const COMMAND_NAMES = Object.keys(KNOWN) as CommandName[];

export const isCommandName = (word: string): word is CommandName => Object.hasOwn(KNOWN, word);

/** The commands grouped by purpose. */
export const GROUPS: readonly (readonly [title: string, names: readonly CommandName[]])[] = [
  ['On this machine', ['start', 'demo', 'phone', 'listen', 'open', 'status']],
  ['Operation', ['admin', 'backup', 'restore']],
  ['Cloudflare', ['deploy', 'rollback', 'apns-relay']],
  ['Shell', ['completion']],
];
