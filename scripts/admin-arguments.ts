import { type ParseArgsConfig, parseArgs } from 'node:util';
import { Problem } from './settings.ts';

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;

/** Every option that a command of `npm run admin` can have. The Worker checks which one goes with which command. */
const OPTIONS = {
  name: TEXT,
  timezone: TEXT,
  database: TEXT,
  to: TEXT,
  account: TEXT,
  id: TEXT,
  confirm: TEXT,
  'user-provided-links': TEXT,
  'require-passkey': TEXT,
  'reply-to': TEXT,
  'passes-max': TEXT,
  'active-passes-max': TEXT,
  'messages-per-day': TEXT,
  'requests-per-minute': TEXT,
  'sub-customers-max': TEXT,
  'retention-expired-passes-days': TEXT,
  'retention-voided-passes-days': TEXT,
  'retention-scans-days': TEXT,
  'retention-messages-days': TEXT,
  email: TEXT,
  privilege: { ...TEXT, multiple: true },
  scope: { ...TEXT, multiple: true },
  template: { ...TEXT, multiple: true },
  'allow-ip': { ...TEXT, multiple: true },
  expires: TEXT,
  cert: TEXT,
  key: TEXT,
  p12: TEXT,
  intermediate: TEXT,
  password: TEXT,
  'issuer-id': TEXT,
  'service-account': TEXT,
  'stand-in-url': TEXT,
  'base-url': TEXT,
  'pass-type': TEXT,
  'relay-url': TEXT,
  'relay-token': TEXT,
  'mtls-binding': TEXT,
  p8: TEXT,
  'key-id': TEXT,
  'team-id': TEXT,
  limit: TEXT,
  before: TEXT,
  after: TEXT,
  all: FLAG,
  none: FLAG,
  on: FLAG,
  off: FLAG,
  development: FLAG,
  json: FLAG,
  remote: FLAG,
  repeat: TEXT,
  help: { ...FLAG, short: 'h' },
} satisfies ParseArgsConfig['options'];

export interface AdminArguments {
  /** `api-key create`; empty when none was given. */
  command: string;
  /** As typed, without the switches below. */
  options: Record<string, string | boolean | string[]>;
  json: boolean;
  remote: boolean;
  /** Key of the command that it repeats. */
  repeat?: string;
  help: boolean;
}

/** Reads a command line. Throws a `Problem` for an option that is unknown or has no value. */
export function parseAdminArguments(words: string[]): AdminArguments {
  try {
    const { values, positionals } = parseArgs({ args: words, options: OPTIONS, allowPositionals: true });
    const { json = false, remote = false, help = false, repeat, ...options } = values;
    return { command: positionals.join(' '), options, json, remote, repeat, help };
  } catch (error) {
    throw new Problem(explain(error as NodeJS.ErrnoException));
  }
}

/** Node names the option in quotes and adds advice that is of no use here. */
function explain({ code, message }: NodeJS.ErrnoException): string {
  const option = /'(?:-\w, )?(--?[\w-]+)/.exec(message)?.[1] ?? '';
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `Unknown option ${option}.`;
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    return message.includes('does not take') ? `${option} takes no value.` : `${option} needs a value.`;
  }
  return message;
}
