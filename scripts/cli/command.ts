/** An option of a command, as `util.parseArgs` takes it, with what people read of it. */
export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  /** Whether it may be given several times. */
  multiple?: boolean;
  help: string;
  /** What stands for its value in the help, such as `URL`. */
  value?: string;
  /** The values that there are. */
  choices?: readonly string[];
  /** Its value is a path, and relative to the folder in which the command was typed. */
  path?: 'file' | 'folder';
  /** A variable of the environment that says the same; the option goes before it. */
  variable?: string;
}

export type Options = Record<string, Option>;

/** A command of the command line: the only place that says what it takes. */
export interface Command {
  /** One line for the list of commands. */
  summary: string;
  /** More sentences for its own help. */
  about?: string;
  /** What stands behind it without a name: how the help shows it, and the values that can be completed. */
  argument?: { shown: string; help: string; choices?: readonly string[]; isRequired?: boolean };
  options: Options;
  /** Variables of the environment that no option stands for. */
  variables?: Record<string, string>;
  /** What to type behind the name of the command, and what it does. */
  examples: readonly (readonly [words: string, does: string])[];
  output: Output;
}

/** What `--json` prints: members of one document, or of the lines whose `event` is named. */
export type Output = { document: Record<string, string> } | { lines: Record<string, string> };

/** Every command has these. */
export const COMMON = {
  json: { type: 'boolean', help: 'prints JSON for programs; messages and progress go to standard error' },
  help: { type: 'boolean', short: 'h', help: 'shows this help' },
} as const satisfies Options;

/** Where a service of this machine keeps what it has. */
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

/** Which deployment a command is for. */
export const DEPLOYMENT = {
  env: {
    type: 'string',
    value: 'NAME',
    variable: 'CLOUDFLARE_ENV',
    help: 'environment of wrangler.toml, such as staging (default: production)',
  },
  url: { type: 'string', value: 'URL', help: 'address of the deployed service, if it is not at workers.dev' },
} as const satisfies Options;

export const CLOUDFLARE_VARIABLES = {
  CLOUDFLARE_API_TOKEN: 'signs in to Cloudflare; without it, "npx wrangler login" does',
  CLOUDFLARE_ACCOUNT_ID: 'the account, if the token is for several',
} as const;
