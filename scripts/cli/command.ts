/** An option of a command, as `util.parseArgs` takes it, plus its help. */
export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  /** Whether it may be given several times. */
  multiple?: boolean;
  help: string;
  /** Placeholder for its value in the help, such as `URL`. */
  value?: string;
  /** The allowed values. */
  choices?: readonly string[];
  /** Its value is a path relative to the folder in which the command was typed. */
  path?: 'file' | 'folder';
  /** The equivalent environment variable. The option takes precedence. */
  variable?: string;
}

export type Options = Record<string, Option>;

/** A command of the command line. This is the only declaration of its arguments. */
export interface Command {
  /** One line for the list of commands. */
  summary: string;
  /** More sentences for the command's own help. */
  about?: string;
  /** The positional argument: its name in the help, and values for completion. */
  argument?: { shown: string; help: string; choices?: readonly string[]; isRequired?: boolean };
  options: Options;
  /** Environment variables without an option. */
  variables?: Record<string, string>;
  /** Arguments to type after the command, and what they do. */
  examples: readonly (readonly [words: string, does: string])[];
  output: Output;
}

/** Output of `--json`: members of one document, or of the lines with each `event`. */
export type Output = { document: Record<string, string> } | { lines: Record<string, string> };

/** Options of every command. */
export const COMMON = {
  json: { type: 'boolean', help: 'prints JSON for programs; messages and progress go to standard error' },
  help: { type: 'boolean', short: 'h', help: 'shows this help' },
} as const satisfies Options;

/** Folders of a service on this machine. */
export const PLACES = {
  'state-dir': {
    type: 'string',
    value: 'FOLDER',
    path: 'folder',
    variable: 'STATE_DIR',
    help: 'database, files and secrets (default: .wrangler/state)',
  },
  'local-dir': {
    type: 'string',
    value: 'FOLDER',
    path: 'folder',
    variable: 'LOCAL_DIR',
    help: 'demo.json, the Worker’s log and downloads (default: .local)',
  },
} as const satisfies Options;

/** Options that select a deployment. */
export const DEPLOYMENT = {
  env: {
    type: 'string',
    value: 'NAME',
    variable: 'CLOUDFLARE_ENV',
    help: 'environment of wrangler.toml, such as staging (default: production)',
  },
  url: {
    type: 'string',
    value: 'URL',
    help: 'address of the deployed service (default: the configured one, or that at workers.dev)',
  },
} as const satisfies Options;

export const CLOUDFLARE_VARIABLES = {
  CLOUDFLARE_API_TOKEN: 'signs in to Cloudflare; without it, "npx wrangler login" does',
  CLOUDFLARE_ACCOUNT_ID: 'the account, if the token is for several',
} as const;
