import { ADMIN } from './cli/commands/admin.ts';
import { parseWords, withVariables } from './cli/parse-words.ts';

export interface AdminArguments {
  /** `api-key create`; empty if none was given. */
  command: string;
  /** As typed, without the switches below. */
  options: Record<string, string | boolean | string[]>;
  json: boolean;
  remote: boolean;
  /** Idempotency key of the command that this one repeats. */
  repeat?: string;
  help: boolean;
  /** Environment variables that locate the service's state, set from options. */
  places: NodeJS.ProcessEnv;
}

/** Reads a command line. Throws a `UsageProblem` for an option that is unknown or has no value. */
export function parseAdminArguments(words: string[]): AdminArguments {
  const { values, words: named } = parseWords(ADMIN, words);
  const { json = false, remote = false, help = false, repeat, ...others } = values;
  const { 'state-dir': _, 'local-dir': __, ...options } = others;
  return { command: named.join(' '), options, json, remote, repeat, help, places: withVariables(ADMIN, values, {}) };
}
